// The face of this folder: what others import.
export { defineReport, type Report } from './definereport.ts'
export { forPrograms, listOf, type PrintedObject, printData, printObjects } from './printobjects.ts'
export { objectRows, printTable } from './printtable.ts'
