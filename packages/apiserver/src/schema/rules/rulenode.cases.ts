import type { Schema } from '../schematypes.ts'

export const text: Schema = { type: 'string', maxLength: 100 }

/** A schema with `n` rules on `spec`. */
export const ruled = (n: number): Schema => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        items: { type: 'array', maxItems: 100, items: { type: 'object', properties: { a: text } } },
      },
      'x-kubernetes-validations': Array.from({ length: n }, (_, i) => ({
        rule: `self.items.size() < ${1000 + i} && self.items[${i}].a.startsWith('x')`,
      })),
    },
  },
})
