/** Which overload of a database function a call means, and what its rows are. */

import type { GenericFunction, GenericSchema, GenericSetofOption, IsAny } from '../types.js'

type UnionToIntersection<U> = (U extends unknown ? (k: U) => void : never) extends (k: infer I) => void ? I : never
type LastOf<T> = UnionToIntersection<T extends unknown ? () => T : never> extends () => infer R ? R : never

type IsMatching<FnArgs, Passed> = [FnArgs] extends [Record<PropertyKey, never>]
  ? Passed extends Record<PropertyKey, never>
    ? true
    : false
  : keyof Passed extends keyof FnArgs
    ? Passed extends FnArgs
      ? true
      : false
    : false

type Overloads<Fns, Passed> = Fns extends { Args: infer Args } ? (IsMatching<Args, Passed> extends true ? Fns : never) : never

type OrLast<Chosen, Fns> = [Chosen] extends [never] ? LastOf<Fns> : LastOf<Chosen>

/** The overload whose arguments take the passed ones; the last one declared when none or several do. */
type Overload<Fns, Passed> = [Passed] extends [never]
  ? OrLast<Fns extends { Args: infer Args } ? ([Args] extends [never] ? Fns : never) : never, Fns>
  : OrLast<Overloads<Fns, Passed>, Fns>

type Relations<Schema extends GenericSchema> = Schema['Tables'] & Exclude<Schema['Views'], ''>

type RecordOr<T, Fallback> = T extends Record<string, unknown> ? T : Fallback
type OneOf<T> = T extends readonly (infer Item)[] ? Item : T

type OtherSchema<Table extends string> = {
  error: true
} & `Function returns SETOF from a different schema ('${Table}'). Use .overrideTypes<YourReturnType>() to specify the return type explicitly.`

type RowOfFunction<Schema extends GenericSchema, Fn extends GenericFunction> = Fn['SetofOptions'] extends GenericSetofOption
  ? Fn['SetofOptions']['to'] extends keyof Relations<Schema>
    ? Relations<Schema>[Fn['SetofOptions']['to']]['Row']
    : RecordOr<OneOf<Fn['Returns']>, OtherSchema<Fn['SetofOptions']['to']>>
  : RecordOr<OneOf<Fn['Returns']>, never>

type ResultOfFunction<Fn extends GenericFunction> = Fn['SetofOptions'] extends { isSetofReturn: true; isOneToOne: true }
  ? Fn['Returns'][]
  : Fn['Returns']

type TableOfFunction<Fn extends GenericFunction, FnName> = Fn['SetofOptions'] extends GenericSetofOption
  ? Fn['SetofOptions']['to']
  : FnName

type KeysOfFunction<Schema extends GenericSchema, Fn extends GenericFunction> = Fn['SetofOptions'] extends GenericSetofOption
  ? Fn['SetofOptions']['to'] extends keyof Relations<Schema>
    ? Relations<Schema>[Fn['SetofOptions']['to']]['Relationships']
    : null
  : null

/** Row, result and relationships of a call, in the terms of the filter builder. */
export type RpcResult<Schema extends GenericSchema, FnName extends string & keyof Schema['Functions'], Args> =
  IsAny<Schema> extends true
    ? { Row: any; Result: any; RelationName: FnName; Relationships: null }
    : Overload<Schema['Functions'][FnName], Args> extends infer Fn
      ? IsAny<Fn> extends true
        ? { Row: any; Result: any; RelationName: FnName; Relationships: null }
        : Fn extends GenericFunction
          ? {
              Row: RowOfFunction<Schema, Fn>
              Result: ResultOfFunction<Fn>
              RelationName: TableOfFunction<Fn, FnName>
              Relationships: KeysOfFunction<Schema, Fn>
            }
          : {
              Row: any
              Result: { error: true } & "Couldn't infer function definition matching provided arguments"
              RelationName: FnName
              Relationships: null
            }
      : never
