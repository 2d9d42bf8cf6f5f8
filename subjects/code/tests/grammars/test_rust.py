"""Rust."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_an_impl_gives_its_type_to_its_functions(outline: Outline) -> None:
    assert outline(
        "rust",
        """
        impl<T: Clone> Pile<T> { pub fn new() -> Self { todo!() } }
        impl<'a, T> From<&'a Pile<T>> for Heap { fn from(a: &'a Pile<T>) -> Self { Heap } }
        impl Weigh for &mut Pile<u8> { fn by_ref(&self) {} }
        impl Weigh for (A, B) { fn pair(&self) {} }
        impl Weigh for [u8] { fn slice(&self) {} }
        impl Weigh for dyn Other + Send { fn object(&self) {} }
        impl Weigh for Box<dyn Fn(i32) -> i32> { fn boxed(&self) {} }
        impl Weigh for *const u8 { fn pointer(&self) {} }
        impl dyn Any { pub fn is(&self) {} }
        impl a::b::Deep<i32> { const N: u8 = 1; type Item = u8; pub fn deep() {} }
        unsafe impl Sync for Heap {}
        """,
    ) == [
        "method Pile.new 1",
        "impl Heap 2",
        "method Heap.from 2",
        "impl Pile 3",
        "method Pile.by_ref 3",
        "impl (A, B) 4",
        "method (A, B).pair 4",
        "impl [u8] 5",
        "method [u8].slice 5",
        "impl Other 6",
        "method Other.object 6",
        "impl Box 7",
        "method Box.boxed 7",
        "impl u8 8",
        "method u8.pointer 8",
        "method Any.is 9",
        "method Deep.deep 10",
        "impl Heap 11",
    ]


def test_attributes_are_of_the_range_and_comments_among_them_are_doc(
    outline: Outline, read: Read
) -> None:
    text = """
        #![allow(dead_code)]

        /// One.
        #[derive(Debug)]
        /// Two.
        #[cfg(test)]
        pub struct A;
        #[inline]

        fn far() {}
        /** Block
         * doc. */
        #[repr(u8)] // why
        enum B { X }
        #[allow(unused)]
        use a::b;
        fn bare() {}
        mod m {
            //! Inner doc,
            //! on two lines.
            #[test]
            fn t() {}
        }
    """
    assert outline("rust", text) == [
        "struct A 4-7 @7",
        "function far 8-10 @10",
        "enum B 13-14 @14",
        "function bare 17",
        "module m 18-23",
        "function m.t 21-22 @22",
    ]
    docs = [one.doc for one in read("rust", text).declarations]
    assert docs[0] == "One."
    assert docs[2] == "Block\ndoc."
    assert docs[4] == "Inner doc,\non two lines."


def test_items_of_every_kind(outline: Outline) -> None:
    assert outline(
        "rust",
        """
        pub(crate) union U { a: u32 }
        pub trait T: Super {
            const K: u8;
            type Q: Clone;
            fn must(&self);
            async fn may(&self) -> u8 { 1 }
        }
        macro_rules! twice { ($a:expr) => { fn made() {} }; }
        twice!(3);
        /// Counts.
        pub static mut COUNT: u32 = 0;
        const _: () = assert!(true);
        type Shared<'a> = &'a str;
        extern "C" { fn elsewhere(x: i32) -> i32; }
        pub unsafe extern "C" fn exported(x: i32) -> i32 { x }
        pub mod outer { pub mod inner { pub fn f() {} } mod elsewhere; }
        mod elsewhere;
        fn generic<T, const N: usize>(x: [T; N]) -> impl Fn(T) -> T where T: Copy { move |y| y }
        fn r#type() {
            const LOCAL: u8 = 1;
            struct L;
            impl L { fn lm(&self) { fn deep() {} } }
            let plain = 3;
            let doubled = |x| x * 2;
            let later = async move || { later_call() };
        }
        """,
    ) == [
        "union U 1",
        "trait T 2-7",
        "method T.must 5",
        "method T.may 6",
        "macro twice 8",
        "constant COUNT 11",
        "type Shared 13",
        "function elsewhere 14",
        "function exported 15",
        "module outer 16",
        "module outer.inner 16",
        "function outer.inner.f 16",
        "function generic 18",
        "function r#type 19-26",
        "struct r#type.L 21",
        "method r#type.L.lm 22",
        "function r#type.L.lm.deep 22",
        "function r#type.doubled 24",
        "function r#type.later 25",
    ]


def test_calls_are_found_in_macros_too(read: Read) -> None:
    parse = read(
        "rust",
        """
        fn f() {
            a::b::c();
            <A as T>::q();
            Vec::<u8>::new();
            self.part.run();
            x.iter().map(|y| y.z()).collect::<Vec<_>>();
            println!("{}", inner(self.g(3), Type::make(1), fetch().done(2)));
            assert!(x);
        }
        """,
    )
    assert sorted(one.name for one in parse.declarations[0].calls) == [
        ".collect",
        ".done",
        ".map",
        "A.q",
        "Type.make",
        "Vec.new",
        "a.b.c",
        "assert",
        "fetch",
        "inner",
        "println",
        "self.g",
        "self.part.run",
        "x.iter",
        "y.z",
    ]


def test_every_form_of_use_is_an_import(read: Read) -> None:
    parse = read(
        "rust",
        """
        pub use a::b::{self, c as d, e::{f, *}};
        use {g::h, i};
        use x;
        use super::y::Z as W;
        use k::{self as l};
        extern crate serde as s;
        mod util;
        """,
    )
    assert [(one.module, one.name, one.alias) for one in parse.imports] == [
        ("a::b", "", ""),
        ("a::b", "c", "d"),
        ("a::b::e", "f", ""),
        ("a::b::e", "*", ""),
        ("g", "h", ""),
        ("i", "", ""),
        ("x", "", ""),
        ("super::y", "Z", "W"),
        ("k", "", "l"),
        ("serde", "", "s"),
        ("self::util", "", ""),
    ]


def test_the_fields_of_a_tuple_are_of_its_signature(read: Read) -> None:
    found = read("rust", "pub struct Pair<T>(pub T, u8);\nstruct Named { a: u8 }\n").declarations
    assert [one.signature for one in found] == ["pub struct Pair<T>(pub T, u8)", "struct Named"]
