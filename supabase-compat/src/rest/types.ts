/** Results of table calls, and what `overrideTypes` and `returns` make of them. */

import type { PostgrestError } from '../errors.js'
import type { SelectQueryError } from './select.js'

interface ResponseBase {
  status: number
  statusText: string
}

export interface PostgrestResponseSuccess<T> extends ResponseBase {
  success: true
  error: null
  data: T
  count: number | null
}

export interface PostgrestResponseFailure extends ResponseBase {
  success: false
  error: PostgrestError
  data: null
  count: null
}

export type PostgrestSingleResponse<T> = PostgrestResponseSuccess<T> | PostgrestResponseFailure
export type PostgrestMaybeSingleResponse<T> = PostgrestSingleResponse<T | null>
export type PostgrestResponse<T> = PostgrestSingleResponse<T[]>

export type CountAlgorithm = 'exact' | 'planned' | 'estimated' | (string & {})

/** An insert may name only known columns; a type parameter alone would let others through. */
export type RejectExcessProperties<Base, Row> = Row & { [K in Exclude<keyof Row, keyof Base>]: never }

type ArrayOverSingle = {
  Error: 'Type mismatch: Cannot cast single object to array type. Remove Array wrapper from return type or make sure you are not using .single() up in the calling chain'
}
type SingleOverArray = {
  Error: 'Type mismatch: Cannot cast array result to a single object. Use .overrideTypes<Array<YourType>> or .returns<Array<YourType>> (deprecated) for array results or .single() to convert the result to a single object'
}

type KeepNull<Result, New> = null extends Result ? New | null : New

/** `New` in place of `Result`, as long as both are lists or neither is. */
export type Replaced<Result, New> = [Result] extends [SelectQueryError<string>]
  ? New
  : Result extends unknown[]
    ? New extends unknown[]
      ? New
      : SingleOverArray
    : New extends unknown[]
      ? unknown extends Result
        ? New
        : ArrayOverSingle
      : KeepNull<Result, New>

type PlainObject<T> = T extends unknown[] ? false : T extends object ? true : false
type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] }

// Tuples keep unions whole: a document of type Json is replaced, not merged with each of its forms.
type MergeValue<New, Old> = [Old] extends [SelectQueryError<string>]
  ? New
  : [New] extends [(infer NewItem)[]]
    ? [NonNullable<Old>] extends [(infer OldItem)[]]
      ? Merge<NewItem, OldItem>[]
      : New
    : PlainObject<NonNullable<New>> extends true
      ? PlainObject<NonNullable<Old>> extends true
        ? null extends New
          ? Merge<NonNullable<New>, NonNullable<Old>> | null
          : Merge<New, NonNullable<Old>>
        : New
      : New

type Merge<New, Old> = {
  [K in KnownKeys<New> | KnownKeys<Old>]: K extends keyof New
    ? K extends keyof Old
      ? MergeValue<New[K], Old[K]>
      : New[K]
    : K extends keyof Old
      ? Old[K]
      : never
} & (string extends keyof Old ? { [K: string]: Old[string] } : {}) extends infer Both
  ? { [K in keyof Both]: Both[K] }
  : never

/** `New` laid over `Result`, field by field, or instead of it with `{ merge: false }`. */
export type Overridden<Result, New, Options> = Replaced<Result, New> extends { Error: string }
  ? Replaced<Result, New>
  : Options extends { merge: true }
    ? [Result] extends [SelectQueryError<string>]
      ? New
      : Result extends (infer OldItem)[]
        ? New extends (infer NewItem)[]
          ? Merge<NewItem, OldItem>[]
          : never
        : KeepNull<Result, Merge<New, NonNullable<Result>>>
    : Replaced<Result, New>
