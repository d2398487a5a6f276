import fs from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { nodeLog } from './nodelog.ts'

afterEach(() => vi.restoreAllMocks())

it('A16: a line has no character that a terminal acts on', () => {
  const lines: string[] = []
  vi.spyOn(fs, 'writeSync').mockImplementation(((_: number, text: string) => {
    lines.push(String(text))
    return String(text).length
  }) as never)
  const hostile = '\u001b]0;owned\u0007\u009b31m\u202e\r\n2026 forged line'
  nodeLog('info').child({ of: hostile }).warn(hostile, { error: hostile, count: 1 })
  expect(lines).toHaveLength(1)
  const [line = ''] = lines
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters
  expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  const shown = '\\x1b]0;owned\\x07\\x9b31m\\u202e\\x0d\n2026 forged line'
  expect(JSON.parse(line)).toMatchObject({ msg: shown, error: shown, of: shown, count: 1, level: 'warn' })
})
