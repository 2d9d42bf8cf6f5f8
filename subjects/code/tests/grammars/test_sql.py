"""SQL."""

from collections.abc import Callable, Sequence

from sourcebook_code.declaration import FileParse

Outline = Callable[[str, str], Sequence[str]]
Read = Callable[[str, str], FileParse]


def test_names_are_as_written_with_their_schema(outline: Outline) -> None:
    assert outline(
        "sql",
        """
        CREATE TABLE public.users (id serial PRIMARY KEY, a varchar(10));
        create temp table if not exists "Quoted Name" (a int);
        CREATE TABLE `my`.`tick` (a int) ENGINE=InnoDB;
        CREATE TABLE [dbo].[Brack] (a int);
        CREATE VIRTUAL TABLE vt USING fts5(a);
        CREATE MATERIALIZED VIEW mv AS SELECT 1;
        CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS by_name ON users (name);
        CREATE INDEX ON users (name);
        CREATE TYPE mood AS ENUM ('sad', 'ok');
        CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
        CREATE ROLE admin;
        INSERT INTO t VALUES (1, 'CREATE TABLE fake (x int);
        CREATE TABLE faker (x int);');
        -- CREATE TABLE commented (a int);
        DROP TABLE old;
        """,
    ) == [
        "type public.users 1",
        'type "Quoted Name" 2',
        "type `my`.`tick` 3",
        "type [dbo].[Brack] 4",
        "type vt 5",
        "type mv 6",
        "index by_name 7",
        "type mood 9",
        "type positive 10",
    ]


def test_bodies_in_postgres(outline: Outline, read: Read) -> None:
    text = """
        CREATE FUNCTION app.f(a int) RETURNS int LANGUAGE sql AS $$ SELECT 1; $$;
        /* Checks a row. */
        CREATE FUNCTION check_row() RETURNS trigger AS $body$
        BEGIN
          PERFORM log_it('x;y');
          RETURN NEW;
        END
        $body$ LANGUAGE plpgsql;
        CREATE TRIGGER checked BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION check_row();
        CREATE FUNCTION std(a int) RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END;
        CREATE FUNCTION short(a int) RETURNS int RETURN a + 1;
        CREATE FUNCTION quoted() RETURNS text AS 'select ''a;b''' LANGUAGE sql;
        CREATE AGGREGATE total(int) (sfunc = int4pl, stype = int);
    """
    assert outline("sql", text) == [
        "function app.f 1",
        "function check_row 3-8",
        "function checked 9",
        "function std 10",
        "function short 11",
        "function quoted 12",
        "function total 13",
    ]
    check = read("sql", text).declarations[1]
    assert check.doc == "Checks a row."
    assert check.signature == "CREATE FUNCTION check_row() RETURNS trigger"
    assert [(one.name, one.line) for one in check.calls] == [("log_it", 5)]


def test_bodies_in_mysql_and_sqlite(outline: Outline) -> None:
    assert outline(
        "sql",
        """
        DELIMITER $$
        CREATE DEFINER=`root`@`localhost` PROCEDURE `p`(IN a INT)
        BEGIN
          WHILE a > 0 DO SET a = a - 1; END WHILE;
          IF a = 'it\\'s' THEN SELECT CASE a WHEN 1 THEN 2 END; END IF;
        END$$
        CREATE FUNCTION q() RETURNS INT RETURN 1$$
        DELIMITER ;
        CREATE TRIGGER logged AFTER UPDATE ON t BEGIN UPDATE u SET a = 1; END;
        CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY DO DELETE FROM t;
        CREATE TABLE last (a int);
        """,
    ) == [
        "function `p` 2-6",
        "function q 7",
        "function logged 9",
        "function nightly 10",
        "type last 11",
    ]


def test_bodies_in_batches(outline: Outline, read: Read) -> None:
    text = """
        SET ANSI_NULLS ON
        GO
        CREATE PROCEDURE [dbo].[Add]
            @a int, @b varchar(10) = 'x'
        AS
            SET NOCOUNT ON;
            CREATE TABLE #tmp (a int);
            EXEC dbo.Other @a;
        GO
        CREATE OR ALTER FUNCTION dbo.F(@x int) RETURNS int AS
        BEGIN
          IF @x > 1 BEGIN RETURN CASE WHEN @x = 2 THEN 3 ELSE 4 END; END
          RETURN dbo.G(@x);
        END
        GO
        CREATE VIEW dbo.V AS SELECT a FROM dbo.T JOIN dbo.U ON 1 = 1
        GO
        CREATE TABLE dbo.T (a int)
        CREATE TABLE dbo.U (a int)
    """
    assert outline("sql", text) == [
        "function [dbo].[Add] 3-8",
        "function dbo.F 10-14",
        "type dbo.V 16",
        "type dbo.T 18",
        "type dbo.U 19",
    ]
    parse = read("sql", text)
    assert not parse.faults
    assert [[call.name for call in one.calls] for one in parse.declarations[1:3]] == [
        ["dbo.G"],
        ["dbo.T", "dbo.U"],
    ]


def test_bodies_in_oracle(outline: Outline) -> None:
    assert outline(
        "sql",
        """
        CREATE OR REPLACE PACKAGE BODY pkg AS
          PROCEDURE one IS v NUMBER; BEGIN v := 1; END one;
          FUNCTION two RETURN NUMBER IS BEGIN RETURN 1; END;
        END pkg;
        /
        CREATE OR REPLACE PROCEDURE three(a IN NUMBER) AS
          v NUMBER;
        BEGIN
          FOR i IN 1..3 LOOP v := i; END LOOP;
        END three;
        /
        CREATE TRIGGER four BEFORE INSERT ON t FOR EACH ROW
        DECLARE x NUMBER;
        BEGIN
          :new.id := seq.nextval;
        END;
        /
        """,
    ) == ["module pkg 1-4", "function three 6-10", "function four 12-16"]


def test_the_signature_of_a_type_says_what_it_is_made_of(read: Read) -> None:
    found = read(
        "sql",
        """
        CREATE TYPE mood AS ENUM ('calm', 'busy');
        CREATE DOMAIN email AS TEXT CHECK (VALUE LIKE '%@%');
        CREATE VIEW v AS SELECT 1;
        """,
    ).declarations
    assert [one.signature for one in found] == [
        "CREATE TYPE mood AS ENUM",
        "CREATE DOMAIN email AS TEXT CHECK (VALUE LIKE '%@%')",
        "CREATE VIEW v",
    ]
