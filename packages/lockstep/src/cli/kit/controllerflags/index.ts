// The face of this folder: what others import.
export { gitAuthorOf, gitAuthorOption } from './gitauthor.ts'
export { maxRemovalOf, maxRemovalOption } from './maxremoval.ts'
