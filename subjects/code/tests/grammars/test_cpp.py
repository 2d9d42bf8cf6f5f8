"""C++."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_members_out_of_line_belong_to_their_class(outline: Outline) -> None:
    assert outline(
        "cpp",
        """
        namespace a {
        template <class T>
        void b::C<T>::f() {}
        template <class T> b::C<T>::operator T() const { return {}; }
        template <class T> T &b::C<T>::operator[](int i) { return x[i]; }
        template <class T> template <class U> void C<T>::g(U u) {}
        }
        Foo::Foo(int a) : Bar(a), x_{3} { init(); }
        Foo::~Foo() = default;
        Foo::Foo() try : x(1) {} catch (...) {}
        Foo &Foo::operator=(const Foo &o) { return *this; }
        int (*Foo::pick(int k))(int) { return 0; }
        auto Foo::bar() const & -> int { return 1; }
        int Foo::count = 0;
        const int Foo::limit = 3;
        """,
    ) == [
        "namespace a 1-7",
        "method a.b.C.f 2-3 @3",
        "method a.b.C.operator T 4",
        "method a.b.C.operator[] 5",
        "method a.C.g 6",
        "constructor Foo.Foo 8",
        "method Foo.~Foo 9",
        "constructor Foo.Foo 10",
        "method Foo.operator= 11",
        "method Foo.pick 12",
        "method Foo.bar 13",
    ]


def test_members_of_every_kind(outline: Outline) -> None:
    assert outline(
        "cpp",
        """
        struct Cell final : Base<int> {
            using Base::Base;
            using value = int;
            Cell(const Cell &) = delete;
            explicit Cell(int);
            ~Cell() override;
            virtual void draw() = 0;
            auto operator<=>(const Cell &) const = default;
            void *operator new(size_t n);
            int operator()(int) const { return 1; }
            explicit operator bool() const noexcept { return true; }
            template <class U> operator U *() const;
            friend void swap(Cell &a, Cell &b) { a.trade(b); }
            friend class Other;
            static constexpr int LIMIT = 3;
            int x = 0, *y;
            void (*hook)(int);
            std::function<void()> go = [this] { draw(); };
            class Inner { void deep() {} };
            enum class Mode { A };
            union { int i; };
            typedef int number;
        };
        """,
    ) == [
        "struct Cell 1-23",
        "type Cell.value 3",
        "constructor Cell.Cell 4",
        "method Cell.~Cell 6",
        "method Cell.draw 7",
        "method Cell.operator<=> 8",
        "method Cell.operator new 9",
        "method Cell.operator() 10",
        "method Cell.operator bool 11",
        "method Cell.operator U * 12",
        "method Cell.swap 13",
        "function Cell.go 18",
        "class Cell.Inner 19",
        "method Cell.Inner.deep 19",
        "enum Cell.Mode 20",
        "type Cell.number 22",
    ]


def test_templates_keep_their_line_and_lose_their_arguments(outline: Outline) -> None:
    assert outline(
        "cpp",
        """
        template <typename T>
        class Grid;
        template <>
        struct std::hash<Key> { size_t operator()(Key k) const { return 1; } };
        template <typename T, typename U> struct Pair<T *, U> {};
        template <> int convert<int>(const char *s) { return 0; }
        template <class T> using Ptr = std::shared_ptr<T>;
        template <class T> constexpr bool small = sizeof(T) < 4;
        template <typename T>
          requires std::integral<T>
        T gcd(T a, T b) { return b ? gcd(b, a % b) : a; }
        template <class T> concept Num = requires(T a) { a + a; };
        template <class T> Vec(T, T) -> Vec<T>;
        extern template class Grid<int>;
        template class Grid<long>;
        int last() { return 0; }
        """,
    ) == [
        "struct std.hash 3-4 @4",
        "method std.hash.operator() 4",
        "struct Pair 5",
        "function convert 6",
        "type Ptr 7",
        "function gcd 9-11 @11",
        "concept Num 12",
        "function last 16",
    ]


def test_namespaces_nest_and_nameless_ones_add_nothing(outline: Outline) -> None:
    assert outline(
        "cpp",
        """
        namespace a::inline b { void f(); }
        inline namespace v1 { namespace { int g() { return 0; } } }
        namespace fs = std::filesystem;
        extern "C" { struct raw { int a; }; void h(void); }
        extern "C" int i(int a) { return a; }
        long double operator""_km(long double x) { return x; }
        std::ostream &operator<<(std::ostream &o, const Foo &f) { return o; }
        constexpr auto add = [](auto a, auto b) { return a + b; };
        /// The most.
        static const int kMax = 3;
        static const int kLeast = 1;
        """,
    ) == [
        "namespace a.b 1",
        "function a.b.f 1",
        "namespace v1 2",
        "function v1.g 2",
        "struct raw 4",
        "function h 4",
        "function i 5",
        'function operator""_km 6',
        "function operator<< 7",
        "function add 8",
        "constant kMax 10",
    ]


def test_macros_do_not_hide_classes_and_their_members(outline: Outline) -> None:
    assert outline(
        "cpp",
        """
        LIB_BEGIN_NAMESPACE
        class LIB_API Window : public Widget {
            Q_OBJECT
            Q_PROPERTY(int size READ size NOTIFY changed)
        public:
            Window();
            LIB_INLINE Window(int a) {}
            LIB_INLINE ~Window() {}
            LIB_NODISCARD int size() const LIB_NOEXCEPT { return 1; }
        };
        class LIB_EXPORT(2) Door {};
        struct __attribute__((packed)) alignas(8) [[deprecated]] Flat {};
        enum class LIB_API Mode : int { A };
        TEST(Suite, Name) { run(); }
        LIB_END_NAMESPACE
        export module doors;
        import std;
        export int opened() { return 1; }
        """,
    ) == [
        "class Window 2-10",
        "constructor Window.Window 7",
        "method Window.~Window 8",
        "method Window.size 9",
        "class Door 11",
        "struct Flat 12",
        "enum Mode 13",
        "function opened 18",
    ]


def test_calls_and_imports(read: Read) -> None:
    parse = read(
        "cpp",
        """
        #include <vector>
        using namespace std;
        using std::swap;
        void f() {
            auto local = [&](int y) { return helper(y); };
            std::move(x);
            make<int>(3);
            obj->bar<int>(1);
            Grid<T>::build();
            this->q();
            g().h();
            new Foo(2);
            static_cast<int>(t);
        }
        """,
    )
    f, local = parse.declarations
    assert sorted(one.name for one in f.calls) == [
        ".h",
        "Foo",
        "Grid.build",
        "g",
        "make",
        "obj.bar",
        "std.move",
        "this.q",
    ]
    assert local.qualified_name == "f.local"
    assert [one.name for one in local.calls] == ["helper"]
    assert [(one.module, one.name) for one in parse.imports] == [
        ("vector", ""),
        ("std", "*"),
        ("std", "swap"),
    ]


def test_what_a_qualified_name_places_in_a_namespace_is_a_function(outline: Outline) -> None:
    assert outline(
        "cpp",
        """
        namespace a { inline namespace b { int level(int x); class C { void run(); }; } }
        int a::b::level(int x) { return x; }
        void a::b::C::run() {}
        """,
    )[-2:] == ["function a.b.level 2", "method a.b.C.run 3"]


def test_an_enumeration_with_attributes_is_read(outline: Outline, read: Read) -> None:
    text = """
        enum class [[nodiscard("x")]] State : std::uint8_t { Idle };
        enum struct [[maybe_unused]] Mode {
          On,
        };
        int after() { return 1; }
        """
    assert outline("cpp", text) == ["enum State 1", "enum Mode 2-4", "function after 5"]
    assert "[[maybe_unused]]" in read("cpp", text).declarations[1].signature
