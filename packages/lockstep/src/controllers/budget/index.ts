// The face of this folder: what others import.
export { affectedBudgets, BUDGET_CONTROLLER, BudgetReconciler, budgetRequestsIn } from './budgetreconciler.ts'
