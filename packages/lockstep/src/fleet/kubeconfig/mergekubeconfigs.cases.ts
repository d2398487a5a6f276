/** Sets of kubeconfigs, as KUBECONFIG names them, and the merged one. An absent text: the file does not exist. */

export interface MergeCase {
  readonly name: string
  readonly texts: readonly (string | undefined)[]
  readonly merged: {
    readonly current: string
    /** Name to server. */
    readonly clusters: Readonly<Record<string, string>>
    /** Name to token. */
    readonly users: Readonly<Record<string, string>>
    /** Name to cluster, user and namespace. */
    readonly contexts: Readonly<Record<string, string>>
  }
}

const cluster = (name: string, server: string, more = ''): string =>
  `{name: ${name}, cluster: {server: "https://${server}"${more}}}`
const user = (name: string, token: string): string => `{name: ${name}, user: {token: ${token}}}`
const context = (name: string, of: string, more = ''): string =>
  `{name: ${name}, context: {cluster: ${of}, user: ${of}${more}}}`
const config = (
  current: string | undefined,
  clusters: readonly string[],
  users: readonly string[] = [],
  contexts: readonly string[] = [],
): string =>
  [
    ...(current === undefined ? [] : [`current-context: ${current}`]),
    `clusters: [${clusters.join(', ')}]`,
    `users: [${users.join(', ')}]`,
    `contexts: [${contexts.join(', ')}]`,
  ].join('\n')

const one = config('one', [cluster('one', 'a')], [user('one', 't1')], [context('one', 'one')])
const two = config(
  'two',
  [cluster('two', 'b')],
  [user('two', 't2')],
  [context('two', 'two', ', namespace: shop')],
)
const ONE = { clusters: { one: 'https://a' }, users: { one: 't1' }, contexts: { one: 'one/one/' } }
const BOTH = {
  clusters: { one: 'https://a', two: 'https://b' },
  users: { one: 't1', two: 't2' },
  contexts: { one: 'one/one/', two: 'two/two/shop' },
}

export const MERGE_CASES: readonly MergeCase[] = [
  { name: 'one file', texts: [one], merged: { current: 'one', ...ONE } },
  { name: 'entries of both', texts: [one, two], merged: { current: 'one', ...BOTH } },
  { name: 'the first current context', texts: [two, one], merged: { current: 'two', ...BOTH } },
  {
    name: 'a current context that only the second has',
    texts: [one.replace('current-context: one\n', ''), two],
    merged: { current: 'two', ...BOTH },
  },
  {
    name: 'an empty current context counts as none',
    texts: [one.replace('current-context: one', 'current-context: ""'), two],
    merged: { current: 'two', ...BOTH },
  },
  { name: 'a missing file first', texts: [undefined, one], merged: { current: 'one', ...ONE } },
  { name: 'a missing file last', texts: [one, undefined], merged: { current: 'one', ...ONE } },
  { name: 'an empty file', texts: ['', one], merged: { current: 'one', ...ONE } },
  {
    name: 'the first entry of a name, whole',
    texts: [
      config('x', [cluster('x', 'a')], [user('x', 't1')], [context('x', 'x')]),
      config(
        'y1',
        [cluster('x', 'b', ', tls-server-name: inner')],
        [user('x', 't2')],
        [context('x', 'other', ', namespace: shop')],
      ),
    ],
    merged: {
      current: 'x',
      clusters: { x: 'https://a' },
      users: { x: 't1' },
      contexts: { x: 'x/x/' },
    },
  },
  {
    name: 'context, cluster and user of three files',
    texts: [
      config(undefined, [cluster('c', 'a')]),
      config(undefined, [], [user('c', 't')]),
      config('c', [], [], [context('c', 'c')]),
    ],
    merged: { current: 'c', clusters: { c: 'https://a' }, users: { c: 't' }, contexts: { c: 'c/c/' } },
  },
  {
    name: 'an unknown field, and an entry without a name',
    texts: [`colors: [red]\n${config('c', ['{cluster: {server: "https://z", shape: round}}'])}`],
    merged: { current: 'c', clusters: { '': 'https://z' }, users: {}, contexts: {} },
  },
  {
    name: 'the first document of a file',
    texts: [`${one}\n---\n${two}`],
    merged: { current: 'one', ...ONE },
  },
]
