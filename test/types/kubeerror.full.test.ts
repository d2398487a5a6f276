/** A way for a request to end that is new in `RequestError` is decided wherever ways to end are told apart. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const NEW = 'Invented'
const ERROR_FILE = resolve('packages/kube/src/client/requesterror.ts')

/** The sources with one more variant in the union; nothing is written. */
function programWithVariant(): ts.Program {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    { ...config, include: ['packages'] },
    ts.sys,
    '.',
  )
  const before = readFileSync(ERROR_FILE, 'utf8')
  const first = "  | { readonly kind: 'NotFound'"
  const changed = before.replace(first, `  | { readonly kind: '${NEW}' }\n${first}`)
  expect(changed).not.toBe(before)
  const host = ts.createCompilerHost(options)
  const { readFile, getSourceFile } = host
  host.readFile = (path) => (resolve(path) === ERROR_FILE ? changed : readFile(path))
  host.getSourceFile = (path, o, ...rest) =>
    resolve(path) === ERROR_FILE
      ? ts.createSourceFile(path, changed, o, true)
      : getSourceFile.call(host, path, o, ...rest)
  return ts.createProgram(
    fileNames.filter((f) => !/\.(test|cases)\.ts$/.test(f)),
    options,
    host,
  )
}

interface Found {
  readonly place: string
  readonly isRefused: boolean
}

/** Every switch over the kind of a `RequestError`, and whether the type checker refuses it. */
function switchesOver(program: ts.Program): Found[] {
  const checker = program.getTypeChecker()
  const isOverKind = (node: ts.SwitchStatement): boolean => {
    const type = checker.getTypeAtLocation(node.expression)
    return type.isUnion() && type.types.some((t) => t.isStringLiteral() && t.value === NEW)
  }
  return program
    .getSourceFiles()
    .filter((f) => resolve(f.fileName).startsWith(resolve('packages')))
    .flatMap((file) => {
      const found = switchesIn(file).filter(isOverKind)
      if (found.length === 0) return []
      const errors = program.getSemanticDiagnostics(file)
      return found.map((node) => {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart())
        const around = ts.findAncestor(node, ts.isFunctionLike) ?? node
        const isInside = (d: ts.Diagnostic) => d.start! >= around.getStart() && d.start! < around.end
        return { place: `${file.fileName}:${line + 1}`, isRefused: errors.some(isInside) }
      })
    })
}

function switchesIn(file: ts.SourceFile): ts.SwitchStatement[] {
  const found: ts.SwitchStatement[] = []
  const look = (node: ts.Node): void => {
    if (ts.isSwitchStatement(node)) found.push(node)
    ts.forEachChild(node, look)
  }
  look(file)
  return found
}

describe('a new variant of KubeError', () => {
  it('is refused by the type checker in every switch over its kind', { timeout: 120_000 }, () => {
    const found = switchesOver(programWithVariant())
    expect(found.length).toBeGreaterThanOrEqual(4)
    expect(found.filter((s) => !s.isRefused).map((s) => s.place)).toEqual([])
  })
})
