// SPDX-License-Identifier: Apache-2.0
// Sums of terms that are multiples of one unit in 64 bits, which those of most programs are. To be included by
// exact_sum_text.hpp.

/// Of a term with its implicit one.
constexpr int digits_of_term = std::countr_zero(KN_IMPLICIT) + 1;
/// Terms have no more bits, so that a sum of two fits.
#if KN_BITS == 16 && KN_INFINITY == 0x7c00
constexpr int most_bits = 40;  // of the finite ones
#else
constexpr int most_bits = 62;
#endif

/// The last digit of terms of some exponent, which is a unit.
struct Unit {
  // What 2^-exponent times the smallest real is computed by; of float16, by the exponents of float32.
#if KN_BITS == 64
  static constexpr int smallest = 1074;
  static constexpr uint least = 53;  // for which the powers are normal
#else
  static constexpr int smallest = 149 - (24 - digits_of_term);
  static constexpr uint least = 1;
#endif
  // kn_rounded has a meaning of its own for the last exponent.
  explicit Unit(uint exponent)
      : largest(exponent + KN_SHIFT - static_cast<uint>(exponent + KN_SHIFT == KN_LAST_EXPONENT)),
        up(power_of_two(smallest + 1 + KN_SHIFT - static_cast<int>(largest))),
        down(1 / up) {}
  bool terms(const KN_KEY* values, std::size_t count, long* to, ulong* bits) const {
    return whole_terms().terms.KN_WHOLE_TERMS(values, count, up, to, bits) && *bits >> most_bits == 0;
  }
  /// Adds rows to a table, or leaves it as it was.
  bool add_rows(const KN_KEY* values, const uint* order, const long* groups, std::size_t rows, std::size_t inner,
                long* table) const {
    ulong bits = 0;
    const auto add = whole_terms().rows.KN_WHOLE_TERMS;
    if (add(values, order, groups, rows, inner, up, false, table, &bits) && bits >> most_bits == 0) return true;
    add(values, order, groups, rows, inner, up, true, table, &bits);
    return false;
  }
  KN_KEY rounded(Total total) const {
#if KN_BITS != 16
    // Rounded once, where that is to the digits of a normal number.
    using Real = std::conditional_t<KN_BITS == 64, double, float>;
    const long few = static_cast<long>(total);
    const double value = static_cast<double>(static_cast<Real>(few)) * down;
    const bool exact = total_of(few) == total;
    // Without a branch for groups of nothing, which nobody foresees.
    if (exact & ((value == 0) | (std::fabs(value) >= std::numeric_limits<Real>::min()))) {
      return std::bit_cast<KN_KEY>(static_cast<Real>(value));
    }
#endif
    return kn_rounded(wide_of(total), largest);
  }
  /// Of several totals; false if one needs to be rounded by itself.
  bool rounded(const long* totals, const KN_KEY* base, std::size_t count, KN_KEY* results) const {
    return whole_terms().sums.KN_WHOLE_TERMS(totals, base, count, up, results);
  }
  uint largest;
  double up, down;
};

/// The exponent of a unit that all values are multiples of by the look of some of them, or 0, and how many bits those
/// have beside it.
struct LikelyUnit {
  uint exponent, bits;
};

LikelyUnit likely_unit(std::span<const KN_KEY> values, std::span<const KN_KEY> others) {
  if (most_bits < 62) return {1, most_bits};
  constexpr std::size_t some = 256;
  uint lowest = UINT_MAX, least = UINT_MAX, highest = 0;
  for (const std::span<const KN_KEY> all : {values, others}) {
    const std::size_t step = std::max<std::size_t>(all.size() / some, 1);
    for (std::size_t k = 0; k < all.size(); k += step) {
      const KN_KEY size = KN_SIZE(all[k]);
      if (size == 0) continue;
      const uint exponent = max(KN_EXPONENT(size), 1u);
      lowest = min(lowest, exponent + static_cast<uint>(std::countr_zero(static_cast<KN_KEY>(size | KN_IMPLICIT))));
      least = min(least, exponent);
      highest = max(highest, exponent);
    }
  }
  if (highest == 0 || highest == KN_LAST_EXPONENT || lowest < Unit::least) return {0, 0};
  // Where the smallest have all their digits, one of more values is smaller still. Others are multiples of a number, as
  // are uniform random ones.
  const uint margin = lowest > least + 3 ? 0 : static_cast<uint>(std::bit_width(values.size() / some)) + 3;
  const uint unit = lowest > margin + Unit::least ? lowest - margin : Unit::least;
  const uint bits = highest + static_cast<uint>(digits_of_term) - unit;
  return {bits > static_cast<uint>(most_bits) ? 0 : unit, bits};
}

constexpr std::size_t terms_at_once = 512;

/// What a thread adds up: the low digits of totals, and once these overflow, what they carry.
template <class Low>
class WholeTable {
 public:
  static constexpr std::size_t fewest_in_vectors = 8;
  static constexpr ulong most_of_term = static_cast<ulong>(std::numeric_limits<Low>::max());

  /// One of so many in the room of sums.
  WholeTable(const Sums& sums, std::size_t tables, std::size_t number)
      : entries_(sums.rows.entries()),
        low_(reinterpret_cast<Low*>(sums.room) + number * entries_),
        high_(reinterpret_cast<long*>(sums.room) + (tables + number) * entries_),
        state_(reinterpret_cast<State*>(reinterpret_cast<long*>(sums.room) + 2 * tables * entries_) + number),
        most_(most_of_term / 2 / std::max<std::size_t>(sums.rows.rows, 1)) {}
  /// Bytes of room for one alone, of so many entries.
  static std::size_t room(std::size_t entries) { return (2 * entries + of_line) * sizeof(long); }

  void begin() const { *state_ = {false, false, false}; }
  void clear() const { std::fill_n(low_, entries_, Low{}); }
  void add_to(Total* totals, std::size_t first, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) totals[i] += total_of(low_[first + i]);
    if (!state_->has_carried) return;
    for (std::size_t i = 0; i < count; ++i) totals[i] += total_of(high_[first + i]) << 8 * sizeof(Low);
  }

  /// The same in 64 bits; false if these are too few.
  bool add_to(long* totals, std::size_t first, std::size_t count) const {
    if (state_->has_carried) return false;
    ulong over = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const ulong total = static_cast<ulong>(totals[i]), more = static_cast<ulong>(static_cast<long>(low_[first + i]));
      over |= (total ^ (total + more)) & (more ^ (total + more));
      totals[i] = static_cast<long>(total + more);
    }
    return over >> 63 == 0;
  }

  /// Whether rows may be added whole.
  bool by_vectors(std::size_t inner) const {
    return sizeof(Low) == sizeof(long) && inner >= fewest_in_vectors && !state_->one_by_one;
  }
  /// Adds whole rows in vectors, the values of the first or, with their numbers, of all. False if nothing is added, and
  /// further ones are to be added term by term.
  bool add_in_vectors(const Unit& unit, const KN_KEY* values, const uint* order, const long* groups, std::size_t rows,
                      std::size_t inner) const {
    if constexpr (sizeof(Low) == sizeof(long)) {
      if (unit.add_rows(values, order, groups, rows, inner, low_)) return true;
      state_->one_by_one = state_->may_carry = true;
    }
    return false;
  }

  /// Adds terms of so many bits, `width` of each row from a column on.
  void add(const long* groups, std::size_t rows, std::size_t inner, std::size_t column, std::size_t width,
           const long* terms, ulong bits) const {
    // Else even all rows in one group are too few. (Other threads' states lie beside this one.)
    if (bits > most_ && !state_->may_carry) state_->may_carry = true;
    state_->may_carry ? add<true>(groups, rows, inner, column, width, terms, bits)
                      : add<false>(groups, rows, inner, column, width, terms, bits);
  }

 private:
  static constexpr std::size_t of_line = 8;
  struct State {
    bool may_carry, has_carried, one_by_one;
  };

  template <bool may_carry>
  void add(const long* groups, std::size_t rows, std::size_t inner, std::size_t column, std::size_t width,
           const long* terms, ulong bits) const {
    if (inner > 1) {
      for (std::size_t k = 0; k < rows; ++k) {
        const std::size_t at = static_cast<std::size_t>(groups[k]) * inner + column;
        for (std::size_t i = 0; i < width; ++i) add<may_carry>(at + i, terms[k * width + i]);
      }
    } else if (bits <= static_cast<ulong>(LONG_MAX) / terms_at_once && mostly_runs(groups, rows)) {
      long sum = 0;
      for (std::size_t k = 0; k < rows; ++k) {
        sum += terms[k];
        if (k + 1 < rows && groups[k + 1] == groups[k]) continue;
        // Of several terms, whose high digits an int has no room for.
        const long high = sum - static_cast<Low>(sum);
        add<may_carry>(static_cast<std::size_t>(groups[k]), static_cast<Low>(sum));
        if (high != 0) carry(static_cast<std::size_t>(groups[k]), high >> 32);
        sum = 0;
      }
    } else {
      for (std::size_t k = 0; k < rows; ++k) add<may_carry>(static_cast<std::size_t>(groups[k]), terms[k]);
    }
  }
  template <bool may_carry>
  void add(std::size_t entry, long term) const {
    Low& low = low_[entry];
    if constexpr (!may_carry) {
      low += static_cast<Low>(term);
    } else if (__builtin_add_overflow(low, static_cast<Low>(term), &low)) [[unlikely]] {
      carry(entry, term < 0 ? -1 : 1);
    }
  }
  [[gnu::noinline]] void carry(std::size_t entry, long by) const {
    if (!state_->has_carried) std::fill_n(high_, entries_, 0L);
    state_->has_carried = true;
    high_[entry] += by;
  }
  /// Whether most rows have the next one's group, so that one store would wait for another.
  static bool mostly_runs(const long* groups, std::size_t rows) {
    constexpr std::size_t step = 32;
    std::size_t looked = 0, same = 0;
    for (std::size_t k = 0; k + 1 < rows; k += step, ++looked) same += groups[k] == groups[k + 1] ? 1 : 0;
    return 4 * same > 3 * looked;
  }

  std::size_t entries_;
  Low* low_;
  long* high_;
  State* state_;
  ulong most_;
};

/// The rows that have a group come first, with their terms.
std::size_t move_known(long* groups, long* terms, std::size_t rows, std::size_t width) {
  std::size_t known = 0;
  for (std::size_t k = 0; k < rows; ++k) {
    if (groups[k] < 0) continue;
    groups[known] = groups[k];
    for (std::size_t i = 0; i < width; ++i) terms[known * width + i] = terms[k * width + i];
    ++known;
  }
  return known;
}

/// Adds some rows; false if a term is no multiple of the unit, or has too many bits.
template <class Low>
bool add_rows(const Sums& sums, const Unit& unit, const WholeTable<Low>& table, std::size_t first, std::size_t end) {
  constexpr std::size_t at_once = terms_at_once;
  long room[at_once], terms[at_once];
  KN_KEY copies[at_once];
  ulong bits = 0;
  const std::size_t inner = sums.rows.inner, columns = std::min(inner, at_once);
  if (sums.same) {
    std::fill_n(copies, at_once, *sums.values);
    if (!unit.terms(copies, at_once, terms, &bits)) return false;
  }
  for (std::size_t count; first < end; first += count) {
    const bool by_vectors = !sums.same && table.by_vectors(inner);
    count = std::min(by_vectors ? at_once : at_once / columns, end - first);
    const auto [groups, all] = sums.rows.read(first, count, room);
    const uint* const order = sums.order != nullptr ? sums.order + first : nullptr;
    const KN_KEY* const rows = order != nullptr ? sums.values : sums.values + first * inner;
    if (by_vectors) {
      if (!table.add_in_vectors(unit, rows, order, groups, count, inner)) count = 0;
      continue;
    }
    for (std::size_t column = 0; column < inner; column += columns) {
      const std::size_t width = std::min(columns, inner - column);
      const KN_KEY* values = rows + column;
      if (order != nullptr) {
        for (std::size_t k = 0; k < count; ++k) std::copy_n(values + order[k] * inner, width, copies + k * width);
        values = copies;
      }
      if (!sums.same && !unit.terms(values, count * width, terms, &bits)) return false;
      if (bits > table.most_of_term) return false;
      const std::size_t known = all ? count : move_known(room, terms, count, width);
      table.add(groups, known, inner, column, width, terms, bits);
      // Of several parts of a row there is one row.
      if (known == 0) break;
    }
  }
  return true;
}

/// The results of some entries, of so many tables; false if what they are added to is no multiple of the unit.
template <class Low>
bool finish(const Sums& sums, const Unit& unit, std::size_t tables, std::size_t made, std::size_t first,
            std::size_t end, KN_KEY* results) {
  constexpr std::size_t at_once = terms_at_once;
  long start[at_once] = {};
  for (std::size_t count; first < end; first += count) {
    count = std::min(at_once, end - first);
    const KN_KEY* const base = sums.base != nullptr ? sums.base + first : nullptr;
    long few[at_once] = {};
    bool all = true;
    for (std::size_t k = 0; k < made && all; ++k) all = WholeTable<Low>(sums, tables, k).add_to(few, first, count);
    if (all && unit.rounded(few, base, count, results + first)) continue;
    ulong bits = 0;
    if (base != nullptr && !unit.terms(base, count, start, &bits)) return false;
    Total totals[at_once] = {};
    for (std::size_t k = 0; k < made; ++k) WholeTable<Low>(sums, tables, k).add_to(totals, first, count);
    for (std::size_t i = 0; i < count; ++i) {
      // What nothing is added to stays as it is, down to the sign of a zero.
      results[first + i] = base != nullptr && totals[i] == 0 ? base[i] : unit.rounded(totals[i] + total_of(start[i]));
    }
  }
  return true;
}

/// The results of a block of groups, by a table that is one thread's.
bool add_block(const Sums& sums, const Unit& unit, KN_KEY* results) {
  const WholeTable<long> table(sums, 1, 0);
  table.begin();
  table.clear();
  return add_rows(sums, unit, table, 0, sums.rows.rows) &&
         finish<long>(sums, unit, 1, 1, 0, sums.rows.entries(), results);
}

enum class Added { all, not_whole, not_in_blocks };

/// The same of all groups, block by block.
Added add_blocks(const DeviceTraits& traits, std::uint64_t work, const Sums& sums, KN_KEY* results, const Unit& unit) {
  BlocksByIds<KN_KEY> blocks(traits, sums.rows);
  if (sums.same || !blocks.suit() || !blocks.order_rows(traits, work, sums.values, sums.room)) {
    return Added::not_in_blocks;
  }
  const std::size_t inner = sums.rows.inner, of_table = WholeTable<long>::room(blocks.most_entries());
  std::byte* const tables = sums.room + blocks.room();
  std::atomic<std::size_t> threads{0};
  std::atomic<bool> whole{true};
  Parts parts(blocks.count());
  share(traits, work, parts, [&] {
    std::byte* const room = tables + of_table * threads.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t k; parts.take(k);) {
      if (!whole.load(std::memory_order_relaxed)) continue;
      const std::size_t first = blocks.first_group(k) * inner, begin = blocks.begin(k);
      const auto read = [groups = blocks.groups(k)](std::size_t from, std::size_t count, long* to) {
        std::copy_n(groups + from, count, to);
        return Groups{to, true};
      };
      const KN_KEY* const base = sums.base != nullptr ? sums.base + first : nullptr;
      const Sums own{{blocks.begin(k + 1) - begin, blocks.groups_of(k), inner, std::cref(read)},
                     false,
                     blocks.values(k),
                     base,
                     room,
                     blocks.order(k)};
      if (!add_block(own, unit, results + first)) whole.store(false, std::memory_order_relaxed);
    }
  });
  return whole ? Added::all : Added::not_whole;
}

/// Sums of multiples of a unit; false if there are others.
template <class Low>
bool add_whole(const DeviceTraits& traits, std::uint64_t work, const Sums& sums, KN_KEY* results, uint exponent) {
  const Unit unit(exponent);
  if constexpr (sizeof(Low) == sizeof(long)) {
    const Added added = add_blocks(traits, work, sums, results, unit);
    if (added != Added::not_in_blocks) return added == Added::all;
  }
  const std::size_t entries = sums.rows.entries(), tables = most_tables(traits, sums.rows);
  Low* const room = reinterpret_cast<Low*>(sums.room);
  for (std::size_t k = 0; k < tables; ++k) WholeTable<Low>(sums, tables, k).begin();
  std::atomic<bool> whole{true};
  const std::size_t made =
      make_tables(traits, work, sums.rows, room, [&](Low* mine, std::size_t first, std::size_t end) {
        if (!whole.load(std::memory_order_relaxed)) return;
        const WholeTable<Low> table(sums, tables, static_cast<std::size_t>(mine - room) / entries);
        if (!add_rows(sums, unit, table, first, end)) whole.store(false, std::memory_order_relaxed);
      });
  if (!whole) return false;
  each_part_of_entries(traits, entries, [&](std::size_t first, std::size_t end) {
    if (!finish<Low>(sums, unit, tables, made, first, end, results)) whole.store(false, std::memory_order_relaxed);
  });
  return whole;
}
