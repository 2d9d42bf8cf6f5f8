"""TypeScript with JSX, which has a grammar of its own."""

from attrs import evolve

from sourcebook_code.grammars import javascript, typescript

GRAMMAR = evolve(typescript.GRAMMAR, calls={**typescript.GRAMMAR.calls, **javascript.ELEMENTS})
