import { createHash } from 'node:crypto'

export const sha256Bytes = (text: string): Uint8Array => createHash('sha256').update(text).digest()
export const sha512Hex = (text: string): string => createHash('sha512').update(text).digest('hex')
