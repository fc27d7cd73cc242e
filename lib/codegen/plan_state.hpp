// SPDX-License-Identifier: Apache-2.0
// What the planner knows while it works; shared by the files that make up its steps: plan.cpp collects the nodes,
// plan_decide.cpp chooses what is stored, plan_loops.cpp which short reductions are loops of what reads them,
// plan_share.cpp which reductions share a kernel, plan_rows.cpp which share one of whole rows, plan_finish.cpp what is
// made of a reduction in its own kernel, plan_product.cpp what is made of a product in its own, plan_transform.cpp what
// is computed around a transform in its own, plan_take.cpp which kernels take elements by positions, plan_code.cpp
// writes the kernels' lines. plan_tree.cpp has short ways for the commonest graphs, plan_reuse.cpp one for those whose
// structure came before; plan_equal.cpp has nodes of equal value computed once.
#pragma once

#include "base/hash.hpp"
#include "codegen/chains.hpp"
#include "codegen/known_plans.hpp"
#include "codegen/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace koine::codegen {

using graph::Node;
using graph::NodeRef;
using graph::Op;

/// A place that reads a node: a kernel, and the views between the node and the kernel's domain.
struct Read {
  std::int32_t step;
  std::int32_t chain;
  std::int32_t line = -1;
};

struct Info {
  Node* node;
  std::int32_t number = -1;   // among the nodes that were collected
  std::int32_t edges = 0;     // from nodes of this evaluation
  std::int32_t readings = 0;  // of it, or of views of it
  bool viewed = false;        // whether views read it that move elements
  bool shared = false;        // it is dear and read at several positions, and so stored
  std::int32_t operations = 0;
  std::int32_t loads = 0;
  const Node* loaded = nullptr;  // what all of them load, if that is one array, at positions that keep their distance
  std::int32_t level = 0;        // barriers between the leaves and this node
  const Node* fold = nullptr;    // a reduction of rows that it has an element of for each row, made of such alone
  const Node* source = nullptr;  // of an expression the first of what it reads from memory, else itself
  std::int32_t phases = 0;       // loops over a row that such reductions behind it take one after another
  bool reads_rows = false;       // whether elements of their rows read such reductions
  bool loops = false;            // whether a short reduction behind it can be a loop of the kernel that reads this node
  std::int32_t wraps = 0;        // views that go beyond axes' ends between memory and this node, one behind the other
  // A position and the extreme that lies there, which a card's kernel finds together: the other one's slot.
  std::int32_t partner = -1;
  bool flat = false;    // its elements can be read in row-major order under any shape
  bool copies = false;  // a reshape of memory that no kernel reads in place, whatever its domain: one copies it
  bool requested = false;
  Why why = Why::unstored;                // it is stored, as far as others decide it
  bool copied = false;                    // a reshape that a step of its own copies
  bool awaited = false;                   // its memory is needed before a step that `reads` does not list
  bool held = false;                      // by somebody who may ask for it later
  bool before = false;                    // computed before, or made of what was, without that being in memory
  bool row_major = false;                 // must be stored in row-major order
  bool cut = false;                       // stored so that a kernel keeps to the parameter limit
  bool apart = false;                     // its kernel computes no other results
  std::int32_t step = -1;                 // the step that stores it
  std::int32_t finisher = -1;             // the step that computes it in a finish, or for one
  std::int32_t chain = Chains::identity;  // through which that computes it
  // Of a view: a chain through which it is read, and that through which it then reads its input.
  std::optional<std::pair<std::int32_t, std::int32_t>> viewed_through{};
  std::vector<Read> reads;

  bool stored() const { return step >= 0; }
  /// Stores it; of several reasons the first is told.
  void request(Why reason) {
    requested = true;
    if (why == Why::unstored) why = reason;
  }
  /// Whether it is stored whatever reads it.
  bool always_stored() const { return copies || node->op == Op::result || graph::has_own_kernel(node->op); }
  std::uint64_t hash_of(const Read& read) const {
    const auto reader = static_cast<std::uint64_t>(read.step) << 32 | static_cast<std::uint32_t>(read.chain);
    return base::hash_combine(reader, reinterpret_cast<std::uintptr_t>(node));
  }
};

/// What elements of a load are taken by: the operation, the stride of its axis, and the line of its positions.
struct Taken {
  const Node* take = nullptr;
  std::int64_t stride = 0;
  std::int32_t positions = -1;
};

/// Whether two constant nodes are one parameter of a kernel: of one type, with the same bits.
bool same_constant(const Node& a, const Node& b);
std::uint64_t hash_of_constant(const Node& constant);

inline bool on_card(const Node& node) { return node.place.traits != nullptr && !node.place.traits->cpu_loops(); }

/// Whether computing a node again costs no more than a store and a load.
bool is_cheap(const Info& info);

/// The axis of a reduction that can be a loop of its reader's kernel: the only one it reduces, and short.
std::optional<std::size_t> short_axis(const Node& node);

/// Where elements lie that are read through a chain, of which it was decided that it can be said in pieces. Throws
/// LaunchError otherwise.
graph::Pieces lies_through(const Chains& chains, std::int32_t chain, const graph::Layout& layout);

/// Of the steps so far that many of the latest are looked at for one to join: planning takes time in proportion to the
/// nodes.
inline constexpr std::size_t most_steps = 64;

/// Parameters beside buffers: the loop's own bounds, where the block is not spilled, or a buffer.
inline constexpr std::uint32_t loop_bytes = 64;
/// A buffer's pointer, and its offset in the block, so that kernels over arrays in row-major order need not spill. And
/// the 255 parameters that SPIR-V allows come to less than the most that discovery gives.
inline constexpr std::uint32_t buffer_bytes = 16;

struct Planner::State {
  std::uint64_t epoch = 0;
  /// What a kernel that computes a node reads from memory, each by another way.
  struct Source {
    const Node* node;
    std::uint64_t way;  // made of the views between

    friend bool operator==(const Source& a, const Source& b) { return a.node == b.node && a.way == b.way; }
    friend bool operator<(const Source& a, const Source& b) {
      return a.node != b.node ? std::less<>()(a.node, b.node) : a.way < b.way;
    }
  };

  std::uint32_t parameter_limit = 0;
  bool elsewhere = false;
  bool rows_allowed = false, takes_allowed = false;
  bool results_together = false;  // kernels store element-wise results of others beside their own
  bool followed = false;          // the last plan was a kept one
  bool overfull = false;          // a kernel that is being written reads more than the device takes
  bool has_products = false;      // or transforms
  bool (*takes_code)(const Node&) = nullptr;
  bool (*takes_cast)(const Node&, std::size_t, const ProductOperand&) = nullptr;
  std::uint64_t evaluation = 0;
  std::span<Node* const> asked;  // the roots
  std::vector<Info> infos;
  std::size_t count = 0;  // of infos in use; the rest keep their memory
  std::vector<Step> steps;
  std::size_t step_count = 0;
  std::vector<Step*> ordered;
  std::vector<std::uint8_t> marks;
  std::vector<std::int32_t> todo;
  Chains chains;
  IndexTable found_reads, found_loads, found_constants;  // of the lists in infos and steps
  std::vector<std::pair<Node*, bool>> stack;
  std::vector<Info*> turns;  // of decide()
  std::vector<Node*> tree;
  std::vector<std::vector<Source>> sources;  // of each node, sorted; the memory is kept
  std::vector<Source> of_input, merged;
  std::vector<std::int32_t> arguments;  // of the line that is being written
  std::vector<const Node*> distinct;    // constants
  std::vector<NodeRef> constants;       // held: one stands for equal ones that other steps read
  std::vector<NodeRef> replaced;        // held: equal ones are read in their place
  std::vector<KnownPlan::Replacement> replacements;
  IndexTable found_values;
  std::vector<std::int32_t> values;                                  // the first node of each
  std::vector<std::int32_t> value_of_node;                           // its number, or -1
  std::vector<std::pair<std::int32_t, std::int32_t>> read_as_input;  // of each node: by which one, as which input
  KnownPlans known;
  Structure structure;
  std::uint64_t leaf_epoch = 0;
  std::vector<Node*> leaves;
  std::vector<const void*> storages;  // of leaves
  IndexTable found_storages;

  /// The place that reads a node so, or null.
  Read* find_read(Info& info, std::int32_t step, std::int32_t chain) {
    const std::int32_t found = found_reads.find(
        info.reads.size(),
        [&] {
          return info.hash_of({step, chain});
        },
        [&](std::size_t k) { return info.reads[k].step == step && info.reads[k].chain == chain; });
    return found < 0 ? nullptr : &info.reads[static_cast<std::size_t>(found)];
  }
  Info* find(const Node* node) { return node->epoch == epoch ? &infos[static_cast<std::size_t>(node->slot)] : nullptr; }

  bool plan_tree(Node* root);
  bool plan_operation(Node* root);
  void collect(std::span<Node* const> roots);
  void request_roots();
  void decide_again();
  std::int32_t leaf_number(Node& leaf);
  std::int32_t number_of(Node& node);
  std::uint64_t describe();
  void follow(const KnownPlan& plan);
  std::unique_ptr<KnownPlan> known_plan();
  void visit(Node* node);
  void read_instead(Node& node, std::size_t input, const NodeRef& other);
  bool same_input(const Node& a, const Node& b) const;
  std::uint64_t hash_of_value(const Node& node) const;
  bool same_value(const Node& a, const Node& b) const;
  void number_values();
  void unite_equals();
  void forget_unread();
  void count_readings();
  void analyse_all();
  void find_extremes();
  void analyse(Info& info);
  const Node* distinct_constant(const Node& node);
  std::vector<Source>* sources_of(const Node& node);
  void find_sources(const Node& node, std::vector<Source>& set, std::size_t most);
  void add_sources(std::vector<Source>& set, const std::vector<Source>& others);
  void cut(std::uint32_t budget);
  bool fits(const Step& step) const;
  void decide(bool merge);
  Info* viewed(Info* info);
  void decide_view(Info& info);
  bool reads_flat(const Info& info) const;
  bool takes(std::int32_t step, const std::optional<graph::Pieces>& pieces);
  void copy_reshape(Info& info);
  std::optional<graph::Pieces> through(const Node& node, std::int32_t chain, std::size_t input = 0);
  bool readable(const Info& info, bool flat);
  /// Whether it is to be stored in memory that was there before.
  bool goes_elsewhere(const Info& info) const { return elsewhere && info.why == Why::asked; }
  bool copies_in_order(const Node& copy);
  void decide_elementwise(Info& info, bool merge);
  void store_in_kernel(Info& info, bool merge);
  bool taken_in_reader(const Info& info);
  bool takes_in_kernel(const Info& info) const;
  bool is_counted(const Node& array) const;
  void decide_scatter(Info& info);
  std::int32_t write_take(const Node& node, std::int32_t step, std::int32_t chain);
  Why worth_storing(const Info& info) const;
  bool takes_result(const Step& step, const Node& node) const;
  std::int32_t kernel_to_join(const Info& info, bool merge) const;
  std::int32_t add_step(Op family, Node* node);
  void add_read(Node& input, std::int32_t step, std::int32_t chain);
  std::int32_t extend(Info& view, std::int32_t chain);
  void read_inputs(Info& info, std::int32_t step, std::int32_t chain);
  bool write_code();
  std::int32_t write_line(Info& info, std::int32_t step, std::int32_t chain);
  std::int32_t add_line(Body& body, const Node& node, std::span<std::int32_t> args, std::int32_t loop = -1);
  std::int32_t value_of(const NodeRef& input, std::int32_t step, std::int32_t chain);
  std::int32_t load(Step& step, const Node& source, graph::Pieces pieces, bool iota, std::int32_t loop = -1,
                    const Taken& taken = {});
  std::int32_t loop_of(Body& body, std::int32_t chain);
  bool loops_in_reader(const Node& node) const;
  bool computed_in_reader(const Info& info) const;
  bool looped_in_own_kernel(const Info& info) const;
  bool drawn_in_reader(const Info& info) const;
  const Node* source_of(const Node& node) const;
  bool beside(const Step& step, const Info& reduction) const;
  static bool states_suit(const Step& step, const Node& reduction);
  bool takes_reduction(const Step& step, const Info& info) const;
  std::int32_t reduction_to_join(const Info& info, Op family) const;
  bool can_be_finished(const Info& info) const;
  bool finish(Info& info);
  std::int32_t step_to_finish(const Info& reduction);
  static bool stored_beside_finish(const Info& info);
  void write_finish(std::int32_t step, std::span<const Info* const> stored);
  void write_finishes();
  bool finishes(const Node& product) const { return takes_code != nullptr && takes_code(product); }
  bool in_place(const Node& node, std::int32_t chain, const Shape& domain) const;
  bool stored_by_reader(const Info& info) const;
  Info* product_behind(const Info& info);
  bool finish_product(Info& info);
  void load_products();
  void end_transform(Info& info);
  void lead_transform(Info& info);
  void join_transforms(bool merge);
  void request_inputs(const Info& info);
  bool wanted_once(const Info& info) const;
  bool reads_through_cast(const Info& product, std::size_t input);
  std::int32_t write_fold(Info& info, std::int32_t step);
  static void split_domain(Step& step);

  void follow_rows(Info& info);
  bool leads_to_rows(std::int32_t chain, const Node& fold) const;
  bool read_by_rows(const Info& info, const Node& fold) const;
  bool joins_rows(const Info& info) const;
  std::int32_t rows_to_join(const Info& info) const;
  std::int32_t rows_to_begin_with(const Info& info) const;
  bool begins_rows(const Info& info) const;
  bool only_reader(const Info& info) const;
  const Shape* row_domain(const Info& info) const;
  bool rows_fit() const;

  void lay_out();
  static void lay_out(Node& node, bool alias);
  void need(std::int32_t step, const Node& input);
  void need_inputs(std::int32_t step, const Node& node);
  void remember_unstored();
  void order();
};

}  // namespace koine::codegen
