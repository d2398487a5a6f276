/** The stair: each folder of src/ may import those below it and itself. Tests may import anything below, and test/. */
const stair = [['env', 'object'], ['api'], ['core'], ['kube'], ['source', 'fleet'], ['deliver', 'promote'], ['controllers'], ['cli']]
const apiserverImports = ['env', 'object', 'core/cel', 'core/health']
const TESTS = '\\.(test|cases)\\.ts$'

const upward = stair.flatMap((step, i) => {
  const above = stair.slice(i + 1).flat()
  return step.flatMap((folder) => {
    const beside = step.filter((other) => other !== folder)
    const forbidden = [...above, ...beside]
    if (forbidden.length === 0) return []
    return [
      {
        name: `${folder}-imports-down`,
        comment: `src/${folder} is step ${i}: it may not import ${forbidden.join(', ')}`,
        severity: 'error',
        from: { path: `^src/${folder}/`, pathNot: TESTS },
        to: { path: `^src/(${forbidden.join('|')})/` },
      },
    ]
  })
})

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { pathNot: TESTS } } },
    ...upward,
    {
      name: 'apiserver-imports-little',
      comment: `src/apiserver may import ${apiserverImports.join(', ')} only`,
      severity: 'error',
      from: { path: '^src/apiserver/', pathNot: TESTS },
      to: { path: '^src/', pathNot: ['^src/apiserver/', ...apiserverImports.map((f) => `^src/${f}/`)] },
    },
    {
      name: 'apiserver-is-for-cli-and-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(cli|apiserver)/', TESTS] },
      to: { path: '^src/apiserver/' },
    },
    {
      name: 'commands-decide-nothing',
      comment: 'What is decided is decided by controllers; commands ask them, or show what they wrote.',
      severity: 'error',
      from: { path: '^packages/lockstep/src/cli/', pathNot: TESTS },
      to: {
        path: [
          '^packages/lockstep/src/decisions/gate/(gate|back|object)\\.ts$',
          '^packages/lockstep/src/decisions/rollout/(schedule|walk|classify|stages|verdict|place|backwards|ledger)\\.ts$',
          '^packages/lockstep/src/deliver/step/nextstep\\.ts$',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'node-only-in-env-node',
      comment: 'The outside is behind env: elsewhere only what computes (hashes, paths, compression).',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/env/node/', '^packages/lockstep/src/cli/main', TESTS] },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|path|zlib)$' },
    },
    {
      name: 'src-imports-no-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: TESTS },
      to: { path: ['^test/', TESTS] },
    },
    { name: 'resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'], exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
}
