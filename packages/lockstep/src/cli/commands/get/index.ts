// The face of this folder: what others import.
export { getCommand, noneText, notFound } from './get.ts'
