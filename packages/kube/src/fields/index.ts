/** Sets of field paths: the ownership that `metadata.managedFields` records. */

export * from './containsfields.ts'
export * from './fieldset.ts'
export * from './fieldsv1.ts'
export { escapeHtml, goJson, goQuote, goSyntax, goType, goValue } from './gosyntax.ts'
export {
  addressText,
  holds,
  type IpAddress,
  isMapped,
  masked,
  type Prefix,
  parseAddress,
  parsePrefix,
} from './ipaddress.ts'
export * from './missingfields.ts'
export * from './pathelement.ts'
