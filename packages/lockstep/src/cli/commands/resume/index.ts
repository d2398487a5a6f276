// The face of this folder: what others import.
export { resumeCommand } from './resume.ts'
