// Type-checks files that are given as JSON on standard input, all in one program, and prints what
// is wrong with them as JSON. Nothing is written. The working folder has TypeScript installed.
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";

const ts = createRequire(path.join(process.cwd(), "package.json"))("typescript");
const { files, options } = JSON.parse(await text(process.stdin));
const root = path.join(process.cwd(), "given");
const texts = new Map(Object.entries(files).map(([name, given]) => [path.posix.join(root, name), given]));

const settings = ts.convertCompilerOptionsFromJson(options, root);
if (settings.errors.length) throw new Error(JSON.stringify(settings.errors.map((e) => e.messageText)));
const host = ts.createCompilerHost(settings.options, true);
const { fileExists, readFile, getSourceFile, directoryExists } = host;
host.fileExists = (name) => texts.has(name) || fileExists(name);
host.readFile = (name) => texts.get(name) ?? readFile(name);
host.directoryExists = (name) => name.startsWith(root) || directoryExists(name);
host.getSourceFile = (name, version, ...others) =>
  texts.has(name)
    ? ts.createSourceFile(name, texts.get(name), version, true)
    : getSourceFile(name, version, ...others);

const program = ts.createProgram([...texts.keys()], settings.options, host);
const found = ts.getPreEmitDiagnostics(program).map((each) => ({
  file: each.file ? path.posix.relative(root, each.file.fileName) : "",
  line: each.file ? each.file.getLineAndCharacterOfPosition(each.start).line + 1 : 0,
  code: each.code,
  message: ts.flattenDiagnosticMessageText(each.messageText, "\n"),
}));
process.stdout.write(JSON.stringify(found));
