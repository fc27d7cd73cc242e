# SPDX-License-Identifier: Apache-2.0
"""The code in docs/python.md runs, each block by itself, as a reader tries it, and prints what the page says."""
import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S) if PAGE.exists() else []


@pytest.mark.skipif(not PAGE.exists(), reason="docs/python.md is not beside the tests")
@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_code_of_the_page_runs(block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, PAGE.name, "exec"), {})
    printed = capsys.readouterr().out
    for line in re.findall(r"print\(.*\) +# prints (.*)", block):
        assert line in printed.splitlines(), printed


@pytest.mark.skipif(not PAGE.exists(), reason="docs/python.md is not beside the tests")
def test_the_page_shows_what_is_beyond_the_standard():
    for name in ("Kernel", "ElementwiseKernel", "ReductionKernel", "ScanKernel", "Program.from_file", "explain", "profile.Session",
                 "Queue", "reproducible"):
        assert f"kn.{name}(" in PAGE.read_text(), name
