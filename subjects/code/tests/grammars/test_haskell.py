"""Haskell."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_a_signature_and_all_equations_are_one_declaration(
    outline: Outline,
) -> None:
    assert outline(
        "haskell",
        """
        module M where

        fact
          :: Integer -- of this
          -> Integer
        {-# INLINE fact #-}
        fact 0 = 1
        -- between
        fact n
          | n < 0 = error "neg"
          | otherwise = n * fact (n - 1)

        noSig 0 = 1
        noSig n = n
        other n = n

        a, b :: Int -> Int
        a = id
        b = id

        lonely :: Int
        """,
    ) == [
        "function fact 3-11 @7",
        "function noSig 13-14",
        "function other 15",
        "function a 17-18 @18",
        "function b 19",
    ]


def test_operators_and_infix_definitions(
    outline: Outline,
) -> None:
    assert outline(
        "haskell",
        """
        infixl 6 |+|
        (|+|) :: Int -> Int -> Int
        x |+| y = x
        x |+| y = y
        (f . g) x = f (g x)
        x `plus` y = x
        (|>) x f = f x
        x ∘ y = x
        go' x' = x'
        """,
    ) == [
        "function |+| 2-4 @3",
        "function . 5",
        "function plus 6",
        "function |> 7",
        "function ∘ 8",
        "function go' 9",
    ]


def test_local_functions_have_the_path_of_what_they_serve(
    outline: Outline,
) -> None:
    assert outline(
        "haskell",
        r"""
        total xs = sumUp xs
          where
            sumUp :: [Int] -> Int
            sumUp = foldr step 0
            step i acc = i + acc
            a <++> b = a
            twice = map f . map f
            limit = 3
            table = [1, 2]
            (p, q) = split xs

        foo x = let bar y = y
                    baz = quux x
                    lam = \\z -> z
                in bar x

        main = do
          let loc z = z
          print 1
          where helper = id
        """,
    ) == [
        "function total 1-10",
        "function total.sumUp 3-4 @4",
        "function total.step 5",
        "function total.<++> 6",
        "function total.twice 7",
        "function foo 12-15",
        "function foo.bar 12",
        "function foo.lam 14",
        "function main 17-20",
        "function main.loc 18",
        "function main.helper 20",
    ]


def test_types_of_every_form(
    outline: Outline,
) -> None:
    assert outline(
        "haskell",
        """
        data Color = Red | Green { g :: Int }
          deriving (Eq)
        data Expr a where
          IntE :: Int -> Expr Int
        newtype Wrap f a = Wrap { unWrap :: f a }
        type Name = String
        type Lens s a = forall f. (a -> f a) -> s -> f s
        data a :+: b = a :+: b
        type family F a where
          F Int = Bool
        data family D a
        pattern P :: Int -> Maybe Int
        pattern P x = Just x
        pattern Q x <- Just x where
          Q x = Just x
        foreign import ccall "sin" c_sin :: Double -> Double
        deriving instance Show Color
        limit :: Int
        limit = 10
        """,
    ) == [
        "type Color 1-2",
        "type Expr 3-4",
        "type Wrap 5",
        "type Name 6",
        "type Lens 7",
        "type :+: 8",
        "type F 9-10",
        "type D 11",
        "function P 12-13 @13",
        "function Q 14-15",
        "function c_sin 16",
        "constant limit 18-19 @19",
    ]


def test_classes_and_instances_hold_methods(
    outline: Outline,
) -> None:
    assert outline(
        "haskell",
        """
        class (Eq a) => Shape a where
          type Elem a
          area :: a -> Double
          area _ = 0
          {-# MINIMAL area #-}
          (<~>) :: a -> a -> Bool
          x <~> y = True
        instance Shape a => Shape (Maybe a) where
          area :: Maybe a -> Double
          area Nothing = 0
          area (Just x) = area x
          x <~> y = True
        instance Num [Color] where (+) = plus; negate = id
        instance Show (a -> b)
        """,
    ) == [
        "interface Shape 1-7",
        "type Shape.Elem 2",
        "method Shape.area 3",
        "method Shape.area 4",
        "method Shape.<~> 6",
        "method Shape.<~> 7",
        "impl Shape 8-12",
        "method Maybe.area 9-11 @10",
        "method Maybe.<~> 12",
        "impl Num 13",
        "method Color.+ 13",
        "method Color.negate 13",
        "impl Show 14",
    ]


def test_haddock_and_plain_comments_are_the_doc(
    read: Read,
) -> None:
    found = read(
        "haskell",
        """
        -- | Of the module.
        module M where

        -- | Adds.
        -- More.
        add :: Int -> Int
        add x = x
        -- ^ behind

        {- | Block
           doc. -}
        data C = C -- ^ not of f
        f x = x

        -- Plain.
        g x = x

        {-# INLINE g #-}
        h = 1
        """,
    )
    assert [(one.name, one.doc, one.doc_first) for one in found.declarations] == [
        ("add", "Adds.\nMore.", 4),
        ("C", "Block\ndoc.", 10),
        ("f", "", 0),
        ("g", "Plain.", 15),
        ("h", "", 0),
    ]


def test_a_head_of_a_definition_is_no_call(
    read: Read,
) -> None:
    found = read(
        "haskell",
        """
        a <+> b = merge a b
        x `plus` y = x <+> y
        run xs = do
          setup
          y <- fetch
          mapM_ print $ Map.toList y
          go . stop $ 3
          next =<< last' 4
          fetch >>= act
          xs `mappend` Just 1
        type T = Maybe (List Int)
        """,
    )
    assert {
        one.qualified_name: [call.name for call in one.calls] for one in found.declarations
    } == {
        "<+>": ["merge"],
        "plus": ["<+>"],
        "run": [
            "setup",
            "fetch",
            "mapM_",
            "Map.toList",
            "go",
            "stop",
            "next",
            "last'",
            "act",
            "mappend",
        ],
        "T": [],
    }


def test_every_form_of_import_is_told(
    read: Read,
) -> None:
    found = read(
        "haskell",
        """
        module A.B (x) where
        import Data.List (sortBy, Map(..), (<+>))
        import qualified Data.Map.Strict as Map
        import Data.Set as Set
        import Prelude hiding (lookup)
        import "pkg" Q.R
        """,
    )
    assert [(one.module, one.name, one.alias) for one in found.imports] == [
        ("Data.List", "sortBy", ""),
        ("Data.List", "Map", ""),
        ("Data.List", "<+>", ""),
        ("Data.Map.Strict", "", "Map"),
        ("Data.Set", "*", "Set"),
        ("Prelude", "*", ""),
        ("Q.R", "*", ""),
    ]
    assert found.package == "A.B"


def test_a_syntax_error_costs_its_own_declaration_only(
    read: Read,
) -> None:
    found = read(
        "haskell",
        """
        a x = x

        b y = ) y

        c z = z
        """,
    )
    assert [one.line for one in found.faults] == [3]
    assert [one.qualified_name for one in found.declarations] == [
        "a",
        "b",
        "c",
    ]


def test_a_value_that_an_instance_gives_a_member_is_a_method(outline: Outline) -> None:
    assert outline(
        "haskell", "class C a where\n  low = 0\ninstance C Int where\n  low = 3\nlimit = 3\n"
    ) == [
        "interface C 1-2",
        "method C.low 2",
        "impl C 3-4",
        "method Int.low 4",
        "constant limit 5",
    ]
