// Included once for each instruction set, inside a namespace of its own; STEELYARD_LANES is the number of doubles in a register.
// No inline function of the standard library may be used here: the linker could pick the wide version for all.

#if STEELYARD_LANES == 8
using Wide = __m512d;
using WideFloat = __m512;
static inline Wide load(const double* x) { return _mm512_loadu_pd(x); }
static inline Wide all(double x) { return _mm512_set1_pd(x); }
static inline void store(double* out, Wide x) { _mm512_storeu_pd(out, x); }
static inline Bits at_least(Wide a, Wide b) { return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ); }
static inline Bits below(Wide a, Wide b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
static inline Bits same(Wide a, Wide b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
static inline Wide wider(const float* x) { return _mm512_maskz_cvtps_pd(0xFF, _mm256_loadu_ps(x)); }
static inline WideFloat load(const float* x) { return _mm512_loadu_ps(x); }
static inline WideFloat all(float x) { return _mm512_set1_ps(x); }
static inline Bits at_least(WideFloat a, WideFloat b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
#elif STEELYARD_LANES == 4
using Wide = __m256d;
using WideFloat = __m256;
static inline Wide load(const double* x) { return _mm256_loadu_pd(x); }
static inline Wide all(double x) { return _mm256_set1_pd(x); }
static inline void store(double* out, Wide x) { _mm256_storeu_pd(out, x); }
static inline Bits at_least(Wide a, Wide b) { return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GE_OQ))); }
static inline Bits below(Wide a, Wide b) { return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ))); }
static inline Bits same(Wide a, Wide b) { return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ))); }
static inline Wide wider(const float* x) { return _mm256_cvtps_pd(_mm_loadu_ps(x)); }
static inline WideFloat load(const float* x) { return _mm256_loadu_ps(x); }
static inline WideFloat all(float x) { return _mm256_set1_ps(x); }
static inline Bits at_least(WideFloat a, WideFloat b) { return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GE_OQ))); }
#elif STEELYARD_LANES == 2
using Wide = __m128d;
using WideFloat = __m128;
static inline Wide load(const double* x) { return _mm_loadu_pd(x); }
static inline Wide all(double x) { return _mm_set1_pd(x); }
static inline void store(double* out, Wide x) { _mm_storeu_pd(out, x); }
static inline Bits at_least(Wide a, Wide b) { return static_cast<unsigned>(_mm_movemask_pd(_mm_cmpge_pd(a, b))); }
static inline Bits below(Wide a, Wide b) { return static_cast<unsigned>(_mm_movemask_pd(_mm_cmplt_pd(a, b))); }
static inline Bits same(Wide a, Wide b) { return static_cast<unsigned>(_mm_movemask_pd(_mm_cmpeq_pd(a, b))); }
static inline Wide wider(const float* x) { return _mm_cvtps_pd(_mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double*>(x)))); }
static inline WideFloat load(const float* x) { return _mm_loadu_ps(x); }
static inline WideFloat all(float x) { return _mm_set1_ps(x); }
static inline Bits at_least(WideFloat a, WideFloat b) { return static_cast<unsigned>(_mm_movemask_ps(_mm_cmpge_ps(a, b))); }
#else
struct Wide { double value; };
struct WideFloat { float value; };
static inline Wide load(const double* x) { return {*x}; }
static inline Wide all(double x) { return {x}; }
static inline void store(double* out, Wide x) { *out = x.value; }
static inline Bits at_least(Wide a, Wide b) { return a.value >= b.value; }
static inline Bits below(Wide a, Wide b) { return a.value < b.value; }
static inline Bits same(Wide a, Wide b) { return a.value == b.value; }
static inline Wide wider(const float* x) { return {static_cast<double>(*x)}; }
static inline WideFloat load(const float* x) { return {*x}; }
static inline WideFloat all(float x) { return {x}; }
static inline Bits at_least(WideFloat a, WideFloat b) { return a.value >= b.value; }
static inline Wide operator+(Wide a, Wide b) { return {a.value + b.value}; }
static inline Wide operator-(Wide a, Wide b) { return {a.value - b.value}; }
static inline Wide operator*(Wide a, Wide b) { return {a.value * b.value}; }
static inline Wide operator/(Wide a, Wide b) { return {a.value / b.value}; }
#endif

constexpr int lanes = STEELYARD_LANES;

template <bool low, bool high>
static void range_loop(const double* x, double least, double most, Bits* out, std::size_t words) {
  const Wide bottom = all(least), top = all(most);
  for (std::size_t word = 0; word < words; ++word, x += 64) {
    Bits bits = 0;
    for (int at = 0; at < 64; at += lanes) {
      const Wide value = load(x + at);
      Bits some = ~Bits{0};
      if constexpr (low) some &= at_least(value, bottom);
      if constexpr (high) some &= at_least(top, value);
      bits |= some << at;
    }
    out[word] = bits;
  }
}

static void range(const double* x, double least, double most, Bits* out, std::size_t words) {
  constexpr double infinity = __builtin_inf();
  if (least == -infinity) return range_loop<false, true>(x, least, most, out, words);
  if (most == infinity) return range_loop<true, false>(x, least, most, out, words);
  range_loop<true, true>(x, least, most, out, words);
}

constexpr int float_lanes = sizeof(WideFloat) / sizeof(float);

template <bool low, bool high>
static void narrow_loop(const float* x, float least, float most, Bits* out, std::size_t words) {
  const WideFloat bottom = all(least), top = all(most);
  for (std::size_t word = 0; word < words; ++word, x += 64) {
    Bits bits = 0;
    for (int at = 0; at < 64; at += float_lanes) {
      const WideFloat value = load(x + at);
      Bits some = ~Bits{0};
      if constexpr (low) some &= at_least(value, bottom);
      if constexpr (high) some &= at_least(top, value);
      bits |= some << at;
    }
    out[word] = bits;
  }
}

static void range_narrow(const float* x, float least, float most, Bits* out, std::size_t words) {
  constexpr float infinity = __builtin_inff();
  if (least == -infinity) return narrow_loop<false, true>(x, least, most, out, words);
  if (most == infinity) return narrow_loop<true, false>(x, least, most, out, words);
  narrow_loop<true, true>(x, least, most, out, words);
}

static void code_equal(const Code* x, Code code, Bits* out, std::size_t words) {
  for (std::size_t word = 0; word < words; ++word, x += 64) {
    Bits bits = 0;
#if STEELYARD_LANES == 8
    const __m512i wanted = _mm512_set1_epi16(static_cast<short>(code));
    // Put together as a mask: of `low | high << 32`, GCC 12 may spill 32 bits of a mask and load 64.
    bits = _mm512_kunpackd(_mm512_cmpeq_epi16_mask(_mm512_loadu_si512(x + 32), wanted), _mm512_cmpeq_epi16_mask(_mm512_loadu_si512(x), wanted));
#elif STEELYARD_LANES == 4
    const __m256i wanted = _mm256_set1_epi16(static_cast<short>(code));
    for (int at = 0; at < 64; at += 32) {
      const __m256i low = _mm256_cmpeq_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + at)), wanted);
      const __m256i high = _mm256_cmpeq_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + at + 16)), wanted);
      const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xD8);
      bits |= static_cast<Bits>(static_cast<unsigned>(_mm256_movemask_epi8(bytes))) << at;
    }
#elif STEELYARD_LANES == 2
    const __m128i wanted = _mm_set1_epi16(static_cast<short>(code));
    for (int at = 0; at < 64; at += 16) {
      const __m128i low = _mm_cmpeq_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + at)), wanted);
      const __m128i high = _mm_cmpeq_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + at + 8)), wanted);
      bits |= static_cast<Bits>(static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(low, high)))) << at;
    }
#else
    for (int at = 0; at < 64; ++at) bits |= static_cast<Bits>(x[at] == code) << at;
#endif
    out[word] = bits;
  }
}

static void order(Order which, const double* left, const double* right, Bits* out, std::size_t words) {
  for (std::size_t word = 0; word < words; ++word, left += 64, right += 64) {
    Bits bits = 0;
    for (int at = 0; at < 64; at += lanes) {
      const Wide a = load(left + at), b = load(right + at);
      const Bits some = which == Order::less ? below(a, b) : which == Order::equal ? same(a, b) : at_least(b, a);
      bits |= some << at;
    }
    out[word] = bits;
  }
}

template <Arithmetic op>
static inline Wide combine(Wide a, Wide b) {
  if constexpr (op == Arithmetic::add) return a + b;
  if constexpr (op == Arithmetic::subtract) return a - b;
  if constexpr (op == Arithmetic::multiply) return a * b;
  return a / b;
}

template <Arithmetic op>
static void combine_loop(const double* left, double a, const double* right, double b, double* out, std::size_t rows) {
  const Wide left_all = all(a), right_all = all(b);
  if (!left) {
    for (std::size_t at = 0; at < rows; at += lanes) store(out + at, combine<op>(left_all, load(right + at)));
  } else if (!right) {
    for (std::size_t at = 0; at < rows; at += lanes) store(out + at, combine<op>(load(left + at), right_all));
  } else {
    for (std::size_t at = 0; at < rows; at += lanes) store(out + at, combine<op>(load(left + at), load(right + at)));
  }
}

// The first of equals wins, NaN never does: as the scalar functions choose.
static void extreme_loop(bool least, const double* left, double a, const double* right, double b, double* out, std::size_t rows) {
  for (std::size_t at = 0; at < rows; ++at) {
    const double one = left ? left[at] : a, other = right ? right[at] : b;
    out[at] = (least ? other < one : one < other) ? other : one;
  }
}

static void arithmetic(Arithmetic op, const double* left, double a, const double* right, double b, double* out, std::size_t words) {
  const std::size_t rows = words * 64;
  switch (op) {
    case Arithmetic::add: return combine_loop<Arithmetic::add>(left, a, right, b, out, rows);
    case Arithmetic::subtract: return combine_loop<Arithmetic::subtract>(left, a, right, b, out, rows);
    case Arithmetic::multiply: return combine_loop<Arithmetic::multiply>(left, a, right, b, out, rows);
    case Arithmetic::divide: return combine_loop<Arithmetic::divide>(left, a, right, b, out, rows);
    case Arithmetic::least: return extreme_loop(true, left, a, right, b, out, rows);
    case Arithmetic::greatest: return extreme_loop(false, left, a, right, b, out, rows);
  }
}

static void widen(const float* x, double* out, std::size_t words) {
  for (std::size_t at = 0; at < words * 64; at += lanes) store(out + at, wider(x + at));
}

static void number_rows(const Bits* const* masks, std::size_t count, Code none, Code* out, std::size_t words) {
  for (std::size_t word = 0; word < words; ++word, out += 64) {
#if STEELYARD_LANES == 8
    __m512i low = _mm512_set1_epi16(static_cast<short>(none)), high = low;
    for (std::size_t rule = 0; rule < count; ++rule) {
      const Bits bits = masks[rule][word];
      const __m512i number = _mm512_set1_epi16(static_cast<short>(rule));
      low = _mm512_mask_mov_epi16(low, static_cast<__mmask32>(bits), number);
      high = _mm512_mask_mov_epi16(high, static_cast<__mmask32>(bits >> 32), number);
    }
    _mm512_storeu_si512(out, low);
    _mm512_storeu_si512(out + 32, high);
#elif STEELYARD_LANES == 4
    const __m256i select = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, static_cast<short>(-32768));
    __m256i parts[4];
    for (__m256i& part : parts) part = _mm256_set1_epi16(static_cast<short>(none));
    for (std::size_t rule = 0; rule < count; ++rule) {
      const Bits bits = masks[rule][word];
      const __m256i number = _mm256_set1_epi16(static_cast<short>(rule));
      for (int part = 0; part < 4; ++part) {
        const __m256i spread = _mm256_and_si256(_mm256_set1_epi16(static_cast<short>(bits >> (16 * part))), select);
        parts[part] = _mm256_blendv_epi8(parts[part], number, _mm256_cmpeq_epi16(spread, select));
      }
    }
    for (int part = 0; part < 4; ++part) _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + std::size_t{16} * part), parts[part]);
#elif STEELYARD_LANES == 2
    const __m128i select = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    __m128i parts[8];
    for (__m128i& part : parts) part = _mm_set1_epi16(static_cast<short>(none));
    for (std::size_t rule = 0; rule < count; ++rule) {
      const Bits bits = masks[rule][word];
      const __m128i number = _mm_set1_epi16(static_cast<short>(rule));
      for (int part = 0; part < 8; ++part) {
        const __m128i spread = _mm_and_si128(_mm_set1_epi16(static_cast<short>(bits >> (8 * part) & 0xFF)), select);
        const __m128i hit = _mm_cmpeq_epi16(spread, select);
        parts[part] = _mm_or_si128(_mm_and_si128(hit, number), _mm_andnot_si128(hit, parts[part]));
      }
    }
    for (int part = 0; part < 8; ++part) _mm_storeu_si128(reinterpret_cast<__m128i*>(out + std::size_t{8} * part), parts[part]);
#else
    for (int at = 0; at < 64; ++at) out[at] = none;
    for (std::size_t rule = 0; rule < count; ++rule) {
      const Bits bits = masks[rule][word];
      for (int at = 0; at < 64; ++at) {
        if (bits >> at & 1) out[at] = static_cast<Code>(rule);
      }
    }
#endif
  }
}

static void look_up(const Code* codes, const double* table, std::size_t entries, double* out, std::size_t words) {
  const std::size_t rows = words * 64;
#if STEELYARD_LANES == 8
  if (entries <= 16) {
    const Wide low = load(table), high = load(table + 8);
    for (std::size_t at = 0; at < rows; at += 8) {
      const __m512i places = _mm512_maskz_cvtepu16_epi64(0xFF, _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + at)));
      store(out + at, _mm512_permutex2var_pd(low, places, high));
    }
    return;
  }
#else
  (void)entries;
#endif
  for (std::size_t at = 0; at < rows; ++at) out[at] = table[codes[at]];
}

static constexpr Kernels table_of(std::string_view name) {
  return {name, range, range_narrow, code_equal, order, arithmetic, widen, number_rows, look_up};
}
