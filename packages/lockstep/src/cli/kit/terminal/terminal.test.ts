import { describe, expect, it } from 'vitest'
import { editDistance, listText, nearest, plural, withRemaining } from './agetext.ts'
import { toAscii } from './ascii.ts'
import { createFrameDisplay } from './framedisplay.ts'
import { asTyped, createTerminal, terminalStyleOf } from './terminal.ts'
import { cut, textTable, widthOf } from './texttable.ts'

describe('lookOf', () => {
  const tty = { isTty: true, columns: 120, color: undefined }
  const utf8 = { LANG: 'en_GB.UTF-8', TERM: 'xterm-256color' }
  const cases: readonly [
    string,
    Parameters<typeof terminalStyleOf>[0],
    Partial<ReturnType<typeof terminalStyleOf>>,
  ][] = [
    ['a terminal', { ...tty, variables: utf8 }, { color: true, unicode: true, live: true, width: 120 }],
    ['a pipe', { ...tty, isTty: false, variables: utf8 }, { color: false, live: false, width: 100 }],
    ['NO_COLOR', { ...tty, variables: { ...utf8, NO_COLOR: '1' } }, { color: false, live: true }],
    ['an empty NO_COLOR', { ...tty, variables: { ...utf8, NO_COLOR: '' } }, { color: true }],
    ['TERM=dumb', { ...tty, variables: { ...utf8, TERM: 'dumb' } }, { color: false, live: false }],
    ['CI', { ...tty, variables: { ...utf8, CI: '1' } }, { color: true, live: false }],
    ['FORCE_COLOR', { ...tty, isTty: false, variables: { ...utf8, FORCE_COLOR: '1' } }, { color: true }],
    ['--color over NO_COLOR', { ...tty, color: true, variables: { NO_COLOR: '1' } }, { color: true }],
    [
      '--no-color over FORCE_COLOR',
      { ...tty, color: false, variables: { FORCE_COLOR: '1' } },
      { color: false },
    ],
    ['LANG=C', { ...tty, variables: { LANG: 'C' } }, { unicode: false }],
    ['LC_ALL over LANG', { ...tty, variables: { ...utf8, LC_ALL: 'C' } }, { unicode: false }],
  ]
  it.each(cases)('%s', (_, surroundings, expected) => {
    expect(terminalStyleOf(surroundings)).toMatchObject(expected)
  })
})

describe('glyphs without UTF-8', () => {
  it('are replaced one for one, so that columns hold', () => {
    const line = '├─ ✔ a…  └─ ⏸ 中'
    expect(toAscii(line)).toBe('|- + a~  `- = ?')
    expect([...toAscii(line)].length).toBe([...line].length)
  })
  it('are untouched in data', () => {
    let out = ''
    const look = { color: false, unicode: false, live: false, wraps: false, width: 100 }
    const t = createTerminal(look, { out: (x) => (out += x), err: () => {} })
    t.print('✔')
    t.data('✔')
    expect(out).toBe('+\n✔')
  })
})

describe('printed commands', () => {
  const look = terminalStyleOf({
    isTty: false,
    columns: undefined,
    variables: { npm_command: 'exec' },
    color: false,
    commands: ['get', 'pin'],
  })
  it.each([
    ['run lockstep get modules', 'run npx lockstep get modules'],
    ['lockstep pin web@a', 'npx lockstep pin web@a'],
    ['lockstep\n  get', 'npx lockstep\n  get'],
    ['npx lockstep get', 'npx lockstep get'],
    ['npx\n  lockstep get', 'npx\n  lockstep get'],
    ['lockstep --help', 'npx lockstep --help'],
    ['manager lockstep gets it', 'manager lockstep gets it'],
    ['lockstep.dev/get get', 'lockstep.dev/get get'],
    ['./bin/lockstep get', './bin/lockstep get'],
    ['in namespace lockstep, get it', 'in namespace lockstep, get it'],
  ])('%j', (text, typed) => {
    expect(asTyped(look, text)).toBe(typed)
  })
  it('start with kubectl for its plugin', () => {
    const typedAs = 'kubectl lockstep'
    const variables = { npm_command: 'exec' }
    const pipe = { isTty: false, columns: undefined, color: false }
    const plugin = terminalStyleOf({ ...pipe, variables, commands: ['get'], typedAs })
    expect(asTyped(plugin, 'lockstep get, kubectl lockstep get')).toBe(
      'kubectl lockstep get, kubectl lockstep get',
    )
  })
  it('stay as they are for a linked program', () => {
    const plain = terminalStyleOf({
      isTty: false,
      columns: undefined,
      variables: {},
      color: false,
      commands: ['get'],
    })
    expect(asTyped(plain, 'lockstep get')).toBe('lockstep get')
  })
})

describe('tables', () => {
  it('are as wide as their content, and have no space at the end', () => {
    expect(
      textTable([
        ['NAME', 'AGE'],
        ['a', '12d'],
        ['longer', ''],
      ]),
    ).toEqual(['NAME     AGE', 'a        12d', 'longer'])
  })
  it('never exceed the width; what is cut ends in …', () => {
    const lines = textTable([['name', 'x'.repeat(60), 'y'.repeat(80)]], { width: 40 })
    expect(widthOf(lines[0]!)).toBeLessThanOrEqual(40)
    expect(lines[0]).toMatch(/^name {3}x+… {3}y+…$/)
  })
  it('cut long texts, and leave names and numbers whole', () => {
    const [line] = textTable(
      [['m.cluster-base.cluster-1', 'cluster-1', '10/10', 'a long text '.repeat(3), '10d']],
      {
        width: 70,
      },
    )
    expect(line).toMatch(/^m\.cluster-base\.cluster-1 {3}cluster-1 {3}10\/10 {3}a long[ a-z]+… {3}10d$/)
  })
  it('count neither escapes nor line ends', () => {
    expect(widthOf('\u001b[32m✔\u001b[39m ok')).toBe(4)
    expect(textTable([['a\nb', 'c']])).toEqual(['a b   c'])
    expect(cut('abcdef', 4)).toBe('abc…')
  })
})

describe('words', () => {
  it('finds what was meant', () => {
    expect(nearest('--namspace', ['--namespace', '--context'])).toBe('--namespace')
    expect(nearest('aply', ['apply', 'get'])).toBe('apply')
    expect(nearest('gte', ['get', 'up'])).toBe('get')
    expect(nearest('frobnicate', ['apply', 'get'])).toBeUndefined()
    expect(nearest('xy', ['up'])).toBeUndefined()
  })
  it('measures edits', () => {
    expect([editDistance('', 'ab'), editDistance('ab', 'ba'), editDistance('kitten', 'sitting')]).toEqual([
      2, 1, 3,
    ])
  })
  it('counts and lists', () => {
    expect([plural(1, 'unit'), plural(2, 'unit')]).toEqual(['1 unit', '2 units'])
    expect([listText([]), listText(['a']), listText(['a', 'b', 'c'])]).toEqual(['', 'a', 'a, b and c'])
  })
  it('says how long a wait still lasts where the time of its end is known', () => {
    const now = Date.UTC(2026, 10, 24, 11, 47, 30)
    expect(withRemaining('window closed', '2026-11-24T22:00:00+01:00', now)).toBe(
      'window closed (9h12m left)',
    )
    for (const until of ['2026-11-24T12:00:00+01:00', '5m', 'unknown', undefined])
      expect(withRemaining('window closed', until, now)).toBe('window closed')
  })
})

describe('A16: texts of servers on a terminal', () => {
  const hostile = '\u001b]0;owned\u0007\u001b[2J\u001b[8m\u009b31m\u202e\rok'
  const shown = '\\x1b]0;owned\\x07\\x1b[2J\\x1b[8m\\x9b31m\\u202e\\x0dok'
  function written(color: boolean) {
    const out: string[] = []
    const look = terminalStyleOf({ isTty: color, columns: 200, color, variables: { LANG: 'C.UTF-8' } })
    const t = createTerminal(look, { out: (text) => out.push(text), err: (text) => out.push(text) })
    t.print(`${t.paint('bold', `a ${hostile}`)} b`)
    t.talk(hostile)
    return out
  }

  it('have no character that it acts on', () => {
    expect(written(false)).toEqual([`a ${shown} b\n`, `${shown}\n`])
  })

  it('have none beside our styles', () => {
    expect(written(true)).toEqual([`\u001b[1ma ${shown}\u001b[22m b\n`, `${shown}\n`])
  })

  it('have none in frames', () => {
    const frames: string[] = []
    const look = terminalStyleOf({ isTty: true, columns: 200, color: false, variables: { LANG: 'C.UTF-8' } })
    const t = createTerminal(look, { out: () => {}, err: () => {} })
    const host = { stdout: { rows: 10, write: (text: string) => void frames.push(text) } }
    createFrameDisplay(host, t).draw([hostile])
    expect(frames).toEqual([`\u001b[2K${shown}\n\u001b[0J`])
  })
})
