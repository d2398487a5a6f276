/** Promises that no code awaits: `supervise` alone starts them, so that each exception has a scope. */
import { resolve } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const OF_LOOPS = /packages\/(kube\/src\/(cache|client|leaderelection|workqueue)|lockstep\/src)\//

function programOf(): ts.Program {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    { ...config, include: ['packages/kube/src', 'packages/lockstep/src'] },
    ts.sys,
    '.',
  )
  return ts.createProgram(
    fileNames.filter((f) => !/\.(test|cases)\.ts$/.test(f)),
    options,
  )
}

/** Statements whose value is a promise, as `file:line text`. */
function floating(program: ts.Program): { readonly found: string[]; readonly statements: number } {
  const checker = program.getTypeChecker()
  const isPromise = (node: ts.Expression): boolean => {
    const type = checker.getTypeAtLocation(node)
    const parts = type.isUnion() ? type.types : [type]
    return parts.some((part) => checker.getPropertyOfType(part, 'then') !== undefined)
  }
  const found: string[] = []
  let statements = 0
  for (const file of program.getSourceFiles()) {
    if (!OF_LOOPS.test(resolve(file.fileName))) continue
    const look = (node: ts.Node): void => {
      if (ts.isExpressionStatement(node) && !ts.isAwaitExpression(node.expression)) {
        statements++
        const isAssignment = ts.isBinaryExpression(node.expression)
        const { line } = file.getLineAndCharacterOfPosition(node.getStart())
        if (!isAssignment && isPromise(node.expression))
          found.push(`${file.fileName}:${line + 1} ${node.getText()}`)
      }
      ts.forEachChild(node, look)
    }
    look(file)
  }
  return { found, statements }
}

it('every promise of a statement is awaited or supervised', { timeout: 180_000 }, () => {
  const { found, statements } = floating(programOf())
  expect(statements).toBeGreaterThan(1000)
  expect(found).toEqual([])
})
