/**
 * Which part may import which. A step of a stair imports the steps before it and itself; parts of one step do not import
 * each other. Tests and tables of cases may import anything.
 */
const TESTS = '\\.(test|cases)\\.ts$'
const PRODUCT = '^packages/lockstep/src'

/** What each package may import of the others. */
const packages = {
  kube: [],
  cel: ['kube'],
  health: ['kube', 'cel'],
  apiserver: ['kube', 'cel'],
  simulators: ['kube', 'cel', 'health', 'apiserver'],
}
const product = [['api'], ['decisions'], ['sources', 'fleet'], ['deliver', 'gitproviders'], ['controllers'], ['cli']]
const controllers = [
  ['runtime'],
  ['cache'],
  ['weave'],
  ['gc', 'pipeline'],
  ['publish', 'promotion'],
  ['claims'],
  ['unit'],
  ['module', 'clusterresourceset'],
  ['remoteassemblage', 'externalassemblage', 'budget', 'credential'],
  ['plan', 'manager'],
]

const betweenPackages = Object.entries(packages).map(([name, allowed]) => ({
  name: `package-${name}`,
  comment: `packages/${name} may import ${allowed.join(', ') || 'no other package'}`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: TESTS },
  to: { path: '^packages/', pathNot: [name, ...allowed].map((p) => `^packages/${p}/`) },
}))

/** One rule for each part of a stair: it imports none of its own step and none above. */
function stairRules(prefix, root, stair) {
  return stair.flatMap((step, i) =>
    step.flatMap((part) => {
      const forbidden = [...step.filter((other) => other !== part), ...stair.slice(i + 1).flat()]
      if (forbidden.length === 0) return []
      return [
        {
          name: `${prefix}-${part}`,
          comment: `${part} is step ${i} of its stair: it may not import ${forbidden.join(', ')}`,
          severity: 'error',
          from: { path: `${root}/${part}/`, pathNot: TESTS },
          to: { path: `${root}/(${forbidden.join('|')})/` },
        },
      ]
    }),
  )
}

const faces = [
  {
    name: 'packages-have-faces',
    comment: 'A package is imported by the names of its exports.',
    severity: 'error',
    from: { path: '^packages/([^/]+)/src/', pathNot: TESTS },
    to: { path: '^packages/', pathNot: ['^packages/$1/', '/index\\.ts$'] },
  },
  {
    name: 'folders-have-faces',
    comment: 'A folder of another part is imported by its index.ts.',
    severity: 'error',
    from: { path: `${PRODUCT}/([^/]+)/`, pathNot: TESTS },
    to: { path: `${PRODUCT}/[^/]+/[^/]+/`, pathNot: [`${PRODUCT}/$1/`, '/index\\.ts$'] },
  },
  {
    name: 'controllers-have-faces',
    comment: 'A folder of other controllers is imported by its index.ts.',
    severity: 'error',
    from: { path: `${PRODUCT}/controllers/([^/]+)/`, pathNot: TESTS },
    to: { path: `${PRODUCT}/controllers/[^/]+/`, pathNot: [`${PRODUCT}/controllers/$1/`, '/index\\.ts$'] },
  },
  {
    name: 'kit-has-faces',
    comment: 'A command imports a folder of the kit by its index.ts.',
    severity: 'error',
    from: { path: `${PRODUCT}/cli/commands/`, pathNot: TESTS },
    to: { path: `${PRODUCT}/cli/kit/[^/]+/`, pathNot: '/index\\.ts$' },
  },
]

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { pathNot: TESTS } } },
    ...betweenPackages,
    {
      name: 'servers-are-for-the-command-line',
      comment: 'Only cli may import the embedded API server and the simulators.',
      severity: 'error',
      from: { path: `${PRODUCT}/(?!cli/)`, pathNot: TESTS },
      to: { path: '^packages/(apiserver|simulators)/' },
    },
    ...stairRules('stair', PRODUCT, product),
    ...stairRules('controllers', `${PRODUCT}/controllers`, controllers),
    {
      name: 'tools-import-up-to-sources',
      severity: 'error',
      from: { path: `${PRODUCT}/tools/`, pathNot: TESTS },
      to: { path: `${PRODUCT}/(fleet|deliver|gitproviders|controllers|cli)/` },
    },
    {
      name: 'tools-are-for-the-command-line',
      severity: 'error',
      from: { path: `${PRODUCT}/(?!cli/|tools/)`, pathNot: TESTS },
      to: { path: `${PRODUCT}/tools/` },
    },
    {
      name: 'kit-imports-no-command',
      severity: 'error',
      from: { path: `${PRODUCT}/cli/kit/`, pathNot: TESTS },
      to: { path: `${PRODUCT}/cli/commands/` },
    },
    {
      name: 'commands-are-apart',
      comment: 'What two commands need is in the kit.',
      severity: 'error',
      from: { path: `${PRODUCT}/cli/commands/([^/]+)/`, pathNot: TESTS },
      to: { path: `${PRODUCT}/cli/commands/[^/]+/`, pathNot: `${PRODUCT}/cli/commands/$1/` },
    },
    ...faces,
    {
      name: 'node-only-in-env-node',
      comment: 'The outside is behind env: elsewhere only what computes (hashes, paths, compression).',
      severity: 'error',
      from: { path: '^packages/', pathNot: ['^packages/[^/]+/bin/', '^packages/kube/src/env/node/', `${PRODUCT}/cli/main`, TESTS] },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|path|zlib)$' },
    },
    {
      name: 'sources-import-no-tests',
      severity: 'error',
      from: { path: '^packages/', pathNot: TESTS },
      to: { path: ['^test/', TESTS] },
    },
    { name: 'resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
  },
}
