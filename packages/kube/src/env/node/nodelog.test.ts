import fs from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { nodeLog } from './nodelog.ts'

afterEach(() => vi.restoreAllMocks())

/** Lines that the function writes to standard error. */
function written(write: () => void): string[] {
  const lines: string[] = []
  vi.spyOn(fs, 'writeSync').mockImplementation(((_: number, text: string) => {
    lines.push(String(text))
    return String(text).length
  }) as never)
  write()
  return lines
}

it('A16: a line has no character that a terminal acts on', () => {
  const hostile = '\u001b]0;owned\u0007\u009b31m\u202e\r\n2026 forged line'
  const lines = written(() =>
    nodeLog('info').child({ of: hostile }).warn(hostile, { error: hostile, count: 1 }),
  )
  expect(lines).toHaveLength(1)
  const [line = ''] = lines
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters
  expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  const shown = '\\x1b]0;owned\\x07\\x9b31m\\u202e\\x0d\n2026 forged line'
  expect(JSON.parse(line)).toMatchObject({ msg: shown, error: shown, of: shown, count: 1, level: 'warn' })
})

it('the text format has one line for people, values in quotes where they need them', () => {
  const [line = ''] = written(() =>
    nodeLog('info', 'text')
      .child({ controller: 'unit' })
      .warn('a\nb', { unit: 'platform/web@c1', err: 'no "answer"', took: 1.5, is: '' }),
  )
  expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z WARN {2}a\\nb /)
  expect(line.slice(line.indexOf('controller'))).toBe(
    'controller=unit unit=platform/web@c1 err="no \\"answer\\"" took=1.5 is=""\n',
  )
})

it.each(['json', 'text'] as const)('%s: lines below the level are not written', (format) => {
  const lines = written(() => {
    const log = nodeLog('warn', format)
    log.debug('no')
    log.info('no')
    log.warn('yes')
    log.error('yes')
  })
  expect(lines).toHaveLength(2)
})
