export const WORD = "mapped";
