import { expect, it } from 'vitest'
import { parameterFlag } from './parameterflag.ts'

const flag = (value: string, forceString = false) => parameterFlag({ name: 'a', value, forceString })

it.each([
  ['42', '--set=a=42'],
  ['', '--set=a='],
  ['a,b', '--set=a=a\\,b'],
  ['a\\,b', '--set=a=a\\,b'],
  [',,', '--set=a=\\,\\,'],
  ['{a,b}', '--set=a={a,b}'],
  ['a=b', '--set=a=a=b'],
])('the value %j is %s', (value, text) => expect(flag(value)).toBe(text))

it('a text stays one', () => expect(flag('42', true)).toBe('--set-string=a=42'))
