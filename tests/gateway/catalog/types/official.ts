
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
  
  "api": {
          Tables: {
            "a": {
                  Row: {
                    "em": string,"id": number,"j": NonNullable<Json>,"n": string,"x": string | null,"rows_of": {
              "a_id": number,
"a2": number | null,
"id": number
            } | null
                  }
                  ComputedFields: "rows_of"
                  Insert: {
                    "em": string,"id": number,"j": NonNullable<Json>,"n": string,"x"?: string | null
                  }
                  Update: {
                    "em"?: string,"id"?: number,"j"?: NonNullable<Json>,"n"?: string,"x"?: string | null
                  }
                  Relationships: [
                    
                  ]
                },"b": {
                  Row: {
                    "a_id": number,"a2": number | null,"id": number
                  }
                  ComputedFields: never
                  Insert: {
                    "a_id": number,"a2"?: number | null,"id": number
                  }
                  Update: {
                    "a_id"?: number,"a2"?: number | null,"id"?: number
                  }
                  Relationships: [
                    {
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "a"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "m"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_cte"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_full"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_group"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["aid"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_nested"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_nested2"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_rollup"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_sub"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_trigger"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a2_fkey"
      columns: ["a2"]
isOneToOne: true
      referencedRelation: "a"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a2_fkey"
      columns: ["a2"]
isOneToOne: true
      referencedRelation: "m"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a2_fkey"
      columns: ["a2"]
isOneToOne: true
      referencedRelation: "v_cte"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a2_fkey"
      columns: ["a2"]
isOneToOne: true
      referencedRelation: "v_full"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a2_fkey"
      columns: ["a2"]
isOneToOne: true
      referencedRelation: "v_group"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a2_fkey"
      columns: ["a2"]
isOneToOne: true
      referencedRelation: "v_left"
      referencedColumns: ["aid"]
    },{
      foreignKeyName: "b_a2_fkey"
      columns: ["a2"]
isOneToOne: true
      referencedRelation: "v_nested"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a2_fkey"
      columns: ["a2"]
isOneToOne: true
      referencedRelation: "v_nested2"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a2_fkey"
      columns: ["a2"]
isOneToOne: true
      referencedRelation: "v_rollup"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a2_fkey"
      columns: ["a2"]
isOneToOne: true
      referencedRelation: "v_sub"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a2_fkey"
      columns: ["a2"]
isOneToOne: true
      referencedRelation: "v_trigger"
      referencedColumns: ["id"]
    }
                  ]
                },"Tab-le": {
                  Row: {
                    "_x": number | null,"1a": number | null,"a": number | null,"A": number | null,"a b": number | null,"a_b": number | null,"ab": number | null,"aB": number | null,"z": number | null,"Z": number | null
                  }
                  ComputedFields: never
                  Insert: {
                    "_x"?: number | null,"1a"?: number | null,"a"?: number | null,"A"?: number | null,"a b"?: number | null,"a_b"?: number | null,"ab"?: number | null,"aB"?: number | null,"z"?: number | null,"Z"?: number | null
                  }
                  Update: {
                    "_x"?: number | null,"1a"?: number | null,"a"?: number | null,"A"?: number | null,"a b"?: number | null,"a_b"?: number | null,"ab"?: number | null,"aB"?: number | null,"z"?: number | null,"Z"?: number | null
                  }
                  Relationships: [
                    
                  ]
                },"things": {
                  Row: {
                    "flavour": Database["api"]['Enums']["flavour"],"id": number,"mood": Database["public"]['Enums']["mood"] | null,"owner": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "flavour": Database["api"]['Enums']["flavour"],"id": number,"mood"?: Database["public"]['Enums']["mood"] | null,"owner"?: string | null
                  }
                  Update: {
                    "flavour"?: Database["api"]['Enums']["flavour"],"id"?: number,"mood"?: Database["public"]['Enums']["mood"] | null,"owner"?: string | null
                  }
                  Relationships: [
                    
                  ]
                }
          }
          Views: {
            "m": {
                  Row: {
                    "id": number,"n": string,"x": string | null
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_cte": {
                  Row: {
                    "id": number,"n": string
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_expr": {
                  Row: {
                    "cast_to": string | null,"more": number | null,"one": number | null,"whole": Database["api"]['Tables']["a"]['Row'] | null
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_full": {
                  Row: {
                    "bid": number | null,"id": number | null
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_group": {
                  Row: {
                    "id": number,"m": string | null
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_left": {
                  Row: {
                    "a_id": number,"aid": number | null,"id": number,"n": string | null
                  }
                  ComputedFields: never
                  Relationships: [
                    {
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "a"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "m"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_cte"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_full"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_group"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_left"
      referencedColumns: ["aid"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_nested"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_nested2"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_rollup"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_sub"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "b_a_id_fkey"
      columns: ["a_id"]
isOneToOne: false
      referencedRelation: "v_trigger"
      referencedColumns: ["id"]
    }
                  ]
                },"v_nested": {
                  Row: {
                    "em": string,"id": number,"j": NonNullable<Json>,"n": string,"x": string | null
                  }
                  ComputedFields: never
                  Insert: {
                           "em"?: string | null,"id"?: number | null,"j"?: Json | null,"n"?: string | null,"x"?: string | null
                         }
                        Update: {
                           "em"?: string | null,"id"?: number | null,"j"?: Json | null,"n"?: string | null,"x"?: string | null
                         }
                        Relationships: [
                    
                  ]
                },"v_nested2": {
                  Row: {
                    "id": number,"n": string,"x": string | null
                  }
                  ComputedFields: never
                  Insert: {
                           "id"?: number | null,"n"?: string | null,"x"?: string | null
                         }
                        Update: {
                           "id"?: number | null,"n"?: string | null,"x"?: string | null
                         }
                        Relationships: [
                    
                  ]
                },"v_rollup": {
                  Row: {
                    "id": number | null
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_sub": {
                  Row: {
                    "id": number
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"v_trigger": {
                  Row: {
                    "count": number | null,"id": number
                  }
                  ComputedFields: never
                  Insert: {
                           "count"?: number | null,"id"?: number | null
                         }
                        Update: {
                           "count"?: number | null,"id"?: number | null
                         }
                        Relationships: [
                    
                  ]
                },"v_union": {
                  Row: {
                    "id": number | null,"n": string | null
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                }
          }
          Functions: {
            "by_row":
{ Args: { "a": Omit<Database["api"]['Tables']["a"]['Row'], Database["api"]['Tables']["a"]['ComputedFields']>,"k": number }; Returns: {
              "a_id": number,
"a2": number | null,
"id": number
            }
                          SetofOptions: {
        from: "*"
        to: "b"
        isOneToOne: true
        isSetofReturn: true
      } },
"noargs":
{ Args: Record<PropertyKey, never>; Returns: number
                           } |
{ Args: { "": Json }; Returns: number
                           },
"rows_of":
{ Args: { "a": Omit<Database["api"]['Tables']["a"]['Row'], Database["api"]['Tables']["a"]['ComputedFields']> }; Returns: {
              "a_id": number,
"a2": number | null,
"id": number
            }
                          SetofOptions: {
        from: "api.a"
        to: "b"
        isOneToOne: true
        isSetofReturn: true
      } },
"things_of":
{ Args: { "a": string }; Returns: {
              "flavour": Database["api"]['Enums']["flavour"],
"id": number,
"mood": Database["public"]['Enums']["mood"] | null,
"owner": string | null
            }[]
                          SetofOptions: {
        from: "*"
        to: "things"
        isOneToOne: false
        isSetofReturn: true
      } }
          }
          Enums: {
            "flavour": "sweet \"x\""|"sour"
          }
          CompositeTypes: {
            [_ in never]: never
          }
        },"public": {
          Tables: {
            "comments": {
                  Row: {
                    "body": string | null,"id": number,"parent": number | null,"post_id": number | null,"tag": string | null
                  }
                  ComputedFields: never
                  Insert: {
                    "body"?: string | null,"id": number,"parent"?: number | null,"post_id"?: number | null,"tag"?: string | null
                  }
                  Update: {
                    "body"?: string | null,"id"?: number,"parent"?: number | null,"post_id"?: number | null,"tag"?: string | null
                  }
                  Relationships: [
                    {
      foreignKeyName: "comments_parent_fkey"
      columns: ["parent"]
isOneToOne: false
      referencedRelation: "comments"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "comments_post_id_tag_fkey"
      columns: ["post_id","tag"]
isOneToOne: false
      referencedRelation: "post_tags"
      referencedColumns: ["post_id","tag"]
    }
                  ]
                },"no_columns": {
                  Row: {
                    
                  }
                  ComputedFields: never
                  Insert: {
                    
                  }
                  Update: {
                    
                  }
                  Relationships: [
                    
                  ]
                },"part": {
                  Row: {
                    "at": string | null,"id": number | null
                  }
                  ComputedFields: never
                  Insert: {
                    "at"?: string | null,"id"?: number | null
                  }
                  Update: {
                    "at"?: string | null,"id"?: number | null
                  }
                  Relationships: [
                    
                  ]
                },"part_1": {
                  Row: {
                    "at": string | null,"id": number | null
                  }
                  ComputedFields: never
                  Insert: {
                    "at"?: string | null,"id"?: number | null
                  }
                  Update: {
                    "at"?: string | null,"id"?: number | null
                  }
                  Relationships: [
                    
                  ]
                },"post_tags": {
                  Row: {
                    "post_id": number,"tag": string
                  }
                  ComputedFields: never
                  Insert: {
                    "post_id": number,"tag": string
                  }
                  Update: {
                    "post_id"?: number,"tag"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "post_tags_post_id_fkey"
      columns: ["post_id"]
isOneToOne: false
      referencedRelation: "joined"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "post_tags_post_id_fkey"
      columns: ["post_id"]
isOneToOne: false
      referencedRelation: "posts"
      referencedColumns: ["id"]
    }
                  ]
                },"posts": {
                  Row: {
                    "byd": number,"editor": string | null,"flavour": Database["api"]['Enums']["flavour"] | null,"id": number,"one_user": string | null,"seq": number,"title": string,"user_id": string,"author": {
              "addr": Database["public"]['CompositeTypes']["address"] | null,
"age": number | null,
"b": string | null,
"big": number | null,
"bitf": unknown,
"ch": string | null,
"created_at": string | null,
"data": Json | null,
"dt": string | null,
"em": string,
"emb": string | null,
"gen": string | null,
"id": string,
"ip": unknown,
"iv": string | null,
"jb": (Json)[] | null,
"level": "low"|"high" | null,
"m": (Database["public"]['Enums']["mood"])[] | null,
"mac": unknown,
"meta": NonNullable<Json>,
"mny": unknown,
"mood": Database["public"]['Enums']["mood"] | null,
"name": string,
"num": number | null,
"od": unknown,
"order": number | null,
"pos": number | null,
"r": number | null,
"rg": unknown,
"tags": (string)[],
"tm": string | null,
"tr": unknown,
"ts": unknown,
"tz": string | null,
"uu": (string)[] | null,
"vb": unknown,
"vc": string | null,
"weird-name": number | null,
"xm": unknown,
"xy": unknown
            } | null
                  }
                  ComputedFields: "author"
                  Insert: {
                    "byd"?: number,"editor"?: string | null,"flavour"?: Database["api"]['Enums']["flavour"] | null,"id"?: never,"one_user"?: string | null,"seq"?: number,"title": string,"user_id": string
                  }
                  Update: {
                    "byd"?: number,"editor"?: string | null,"flavour"?: Database["api"]['Enums']["flavour"] | null,"id"?: never,"one_user"?: string | null,"seq"?: number,"title"?: string,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "posts_editor_fkey"
      columns: ["editor"]
isOneToOne: false
      referencedRelation: "joined"
      referencedColumns: ["uid"]
    },{
      foreignKeyName: "posts_editor_fkey"
      columns: ["editor"]
isOneToOne: false
      referencedRelation: "of_view"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_editor_fkey"
      columns: ["editor"]
isOneToOne: false
      referencedRelation: "updatable_partly"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_editor_fkey"
      columns: ["editor"]
isOneToOne: false
      referencedRelation: "user_view"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_editor_fkey"
      columns: ["editor"]
isOneToOne: false
      referencedRelation: "users"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_one_user_fkey"
      columns: ["one_user"]
isOneToOne: true
      referencedRelation: "joined"
      referencedColumns: ["uid"]
    },{
      foreignKeyName: "posts_one_user_fkey"
      columns: ["one_user"]
isOneToOne: true
      referencedRelation: "of_view"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_one_user_fkey"
      columns: ["one_user"]
isOneToOne: true
      referencedRelation: "updatable_partly"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_one_user_fkey"
      columns: ["one_user"]
isOneToOne: true
      referencedRelation: "user_view"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_one_user_fkey"
      columns: ["one_user"]
isOneToOne: true
      referencedRelation: "users"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "joined"
      referencedColumns: ["uid"]
    },{
      foreignKeyName: "posts_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "of_view"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "updatable_partly"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "user_view"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "users"
      referencedColumns: ["id"]
    }
                  ]
                },"same": {
                  Row: {
                    "other": string | null,"user_id": string
                  }
                  ComputedFields: never
                  Insert: {
                    "other"?: string | null,"user_id": string
                  }
                  Update: {
                    "other"?: string | null,"user_id"?: string
                  }
                  Relationships: [
                    {
      foreignKeyName: "same_user_id_fkey"
      columns: ["user_id"]
isOneToOne: true
      referencedRelation: "joined"
      referencedColumns: ["uid"]
    },{
      foreignKeyName: "same_user_id_fkey"
      columns: ["user_id"]
isOneToOne: true
      referencedRelation: "of_view"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "same_user_id_fkey"
      columns: ["user_id"]
isOneToOne: true
      referencedRelation: "updatable_partly"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "same_user_id_fkey"
      columns: ["user_id"]
isOneToOne: true
      referencedRelation: "user_view"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "same_user_id_fkey"
      columns: ["user_id"]
isOneToOne: true
      referencedRelation: "users"
      referencedColumns: ["id"]
    }
                  ]
                },"users": {
                  Row: {
                    "addr": Database["public"]['CompositeTypes']["address"] | null,"age": number | null,"b": string | null,"big": number | null,"bitf": unknown,"ch": string | null,"created_at": string | null,"data": Json | null,"dt": string | null,"em": string,"emb": string | null,"gen": string | null,"id": string,"ip": unknown,"iv": string | null,"jb": (Json)[] | null,"level": "low"|"high" | null,"m": (Database["public"]['Enums']["mood"])[] | null,"mac": unknown,"meta": NonNullable<Json>,"mny": unknown,"mood": Database["public"]['Enums']["mood"] | null,"name": string,"num": number | null,"od": unknown,"order": number | null,"pos": number | null,"r": number | null,"rg": unknown,"tags": (string)[],"tm": string | null,"tr": unknown,"ts": unknown,"tz": string | null,"uu": (string)[] | null,"vb": unknown,"vc": string | null,"weird-name": number | null,"xm": unknown,"xy": unknown,"best_posts": {
              "byd": number,
"editor": string | null,
"flavour": Database["api"]['Enums']["flavour"] | null,
"id": number,
"one_user": string | null,
"seq": number,
"title": string,
"user_id": string
            } | null,"full_name": string | null,"one_post": {
              "byd": number,
"editor": string | null,
"flavour": Database["api"]['Enums']["flavour"] | null,
"id": number,
"one_user": string | null,
"seq": number,
"title": string,
"user_id": string
            } | null
                  }
                  ComputedFields: "best_posts" | "full_name" | "one_post"
                  Insert: {
                    "addr"?: Database["public"]['CompositeTypes']["address"] | null,"age"?: number | null,"b"?: string | null,"big"?: number | null,"bitf"?: unknown,"ch"?: string | null,"created_at"?: string | null,"data"?: Json | null,"dt"?: string | null,"em": string,"emb"?: string | null,"gen"?: never,"id"?: string,"ip"?: unknown,"iv"?: string | null,"jb"?: (Json)[] | null,"level"?: "low"|"high" | null,"m"?: (Database["public"]['Enums']["mood"])[] | null,"mac"?: unknown,"meta": NonNullable<Json>,"mny"?: unknown,"mood"?: Database["public"]['Enums']["mood"] | null,"name": string,"num"?: number | null,"od"?: unknown,"order"?: number | null,"pos"?: number | null,"r"?: number | null,"rg"?: unknown,"tags": (string)[],"tm"?: string | null,"tr"?: unknown,"ts"?: unknown,"tz"?: string | null,"uu"?: (string)[] | null,"vb"?: unknown,"vc"?: string | null,"weird-name"?: number | null,"xm"?: unknown,"xy"?: unknown
                  }
                  Update: {
                    "addr"?: Database["public"]['CompositeTypes']["address"] | null,"age"?: number | null,"b"?: string | null,"big"?: number | null,"bitf"?: unknown,"ch"?: string | null,"created_at"?: string | null,"data"?: Json | null,"dt"?: string | null,"em"?: string,"emb"?: string | null,"gen"?: never,"id"?: string,"ip"?: unknown,"iv"?: string | null,"jb"?: (Json)[] | null,"level"?: "low"|"high" | null,"m"?: (Database["public"]['Enums']["mood"])[] | null,"mac"?: unknown,"meta"?: NonNullable<Json>,"mny"?: unknown,"mood"?: Database["public"]['Enums']["mood"] | null,"name"?: string,"num"?: number | null,"od"?: unknown,"order"?: number | null,"pos"?: number | null,"r"?: number | null,"rg"?: unknown,"tags"?: (string)[],"tm"?: string | null,"tr"?: unknown,"ts"?: unknown,"tz"?: string | null,"uu"?: (string)[] | null,"vb"?: unknown,"vc"?: string | null,"weird-name"?: number | null,"xm"?: unknown,"xy"?: unknown
                  }
                  Relationships: [
                    
                  ]
                }
          }
          Views: {
            "joined": {
                  Row: {
                    "id": number,"name": string,"title": string,"uid": string
                  }
                  ComputedFields: never
                  Relationships: [
                    
                  ]
                },"mat": {
                  Row: {
                    "n": number | null,"user_id": string
                  }
                  ComputedFields: never
                  Relationships: [
                    {
      foreignKeyName: "posts_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "joined"
      referencedColumns: ["uid"]
    },{
      foreignKeyName: "posts_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "of_view"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "updatable_partly"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "user_view"
      referencedColumns: ["id"]
    },{
      foreignKeyName: "posts_user_id_fkey"
      columns: ["user_id"]
isOneToOne: false
      referencedRelation: "users"
      referencedColumns: ["id"]
    }
                  ]
                },"of_view": {
                  Row: {
                    "id": string,"name": string
                  }
                  ComputedFields: never
                  Insert: {
                           "id"?: string | null,"name"?: string | null
                         }
                        Update: {
                           "id"?: string | null,"name"?: string | null
                         }
                        Relationships: [
                    
                  ]
                },"updatable_partly": {
                  Row: {
                    "id": string,"name": string,"up": string | null
                  }
                  ComputedFields: never
                  Insert: {
                           "id"?: string | null,"name"?: string | null,"up"?: never
                         }
                        Update: {
                           "id"?: string | null,"name"?: string | null,"up"?: never
                         }
                        Relationships: [
                    
                  ]
                },"user_view": {
                  Row: {
                    "data": Json | null,"id": string,"mood": Database["public"]['Enums']["mood"] | null,"name": string,"pos": number | null,"f_view": number | null
                  }
                  ComputedFields: "f_view"
                  Insert: {
                           "data"?: Json | null,"id"?: string | null,"mood"?: Database["public"]['Enums']["mood"] | null,"name"?: string | null,"pos"?: number | null
                         }
                        Update: {
                           "data"?: Json | null,"id"?: string | null,"mood"?: Database["public"]['Enums']["mood"] | null,"name"?: string | null,"pos"?: number | null
                         }
                        Relationships: [
                    
                  ]
                }
          }
          Functions: {
            "anyf":
{ Args: { "a": unknown }; Returns: unknown
                           },
"api_things":
{ Args: Record<PropertyKey, never>; Returns: Database["api"]['Tables']["things"]['Row'][]
                          SetofOptions: {
        from: "*"
        to: "things"
        isOneToOne: false
        isSetofReturn: true
      } },
"args":
{ Args: { "a": number,"b"?: string,"c"?: Database["public"]['Enums']["mood"],"d"?: (number)[] }; Returns: string
                           },
"arr":
{ Args: Record<PropertyKey, never>; Returns: (string)[]
                           },
"author":
{ Args: { "p": Omit<Database["public"]['Tables']["posts"]['Row'], Database["public"]['Tables']["posts"]['ComputedFields']> }; Returns: {
              "addr": Database["public"]['CompositeTypes']["address"] | null,
"age": number | null,
"b": string | null,
"big": number | null,
"bitf": unknown,
"ch": string | null,
"created_at": string | null,
"data": Json | null,
"dt": string | null,
"em": string,
"emb": string | null,
"gen": string | null,
"id": string,
"ip": unknown,
"iv": string | null,
"jb": (Json)[] | null,
"level": "low"|"high" | null,
"m": (Database["public"]['Enums']["mood"])[] | null,
"mac": unknown,
"meta": NonNullable<Json>,
"mny": unknown,
"mood": Database["public"]['Enums']["mood"] | null,
"name": string,
"num": number | null,
"od": unknown,
"order": number | null,
"pos": number | null,
"r": number | null,
"rg": unknown,
"tags": (string)[],
"tm": string | null,
"tr": unknown,
"ts": unknown,
"tz": string | null,
"uu": (string)[] | null,
"vb": unknown,
"vc": string | null,
"weird-name": number | null,
"xm": unknown,
"xy": unknown
            }
                          SetofOptions: {
        from: "posts"
        to: "users"
        isOneToOne: true
        isSetofReturn: false
      } },
"best_posts":
{ Args: { "": Database["public"]['Tables']["users"]['Row'] }; Returns: { error: true } & "the function public.best_posts with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                          SetofOptions: {
        from: "users"
        to: "posts"
        isOneToOne: false
        isSetofReturn: true
      } },
"comp":
{ Args: Record<PropertyKey, never>; Returns: Database["public"]['CompositeTypes']["address"]
                          SetofOptions: {
        from: "*"
        to: "address"
        isOneToOne: true
        isSetofReturn: false
      } },
"comps":
{ Args: Record<PropertyKey, never>; Returns: Database["public"]['CompositeTypes']["address"][]
                          SetofOptions: {
        from: "*"
        to: "address"
        isOneToOne: false
        isSetofReturn: true
      } },
"dom":
{ Args: Record<PropertyKey, never>; Returns: unknown
                           },
"enu":
{ Args: Record<PropertyKey, never>; Returns: Database["public"]['Enums']["mood"]
                           },
"f_view":
{ Args: { "v": Omit<Database["public"]['Views']["user_view"]['Row'], Database["public"]['Views']["user_view"]['ComputedFields']> }; Returns: number
                           },
"full_name":
{ Args: { "": Database["public"]['Tables']["users"]['Row'] }; Returns: { error: true } & "the function public.full_name with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                           },
"henu":
{ Args: { "l": "low"|"high" }; Returns: "low"|"high"
                           },
"inouts":
{ Args: { "x": number }; Returns: number
                           },
"js":
{ Args: Record<PropertyKey, never>; Returns: Json
                           },
"nothing":
{ Args: Record<PropertyKey, never>; Returns: undefined
                           },
"one_out":
{ Args: { "x": number }; Returns: number
                           },
"one_post":
{ Args: { "": Database["public"]['Tables']["users"]['Row'] }; Returns: { error: true } & "the function public.one_post with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache"
                          SetofOptions: {
        from: "users"
        to: "posts"
        isOneToOne: true
        isSetofReturn: true
      } },
"outs":
{ Args: { "x": number }; Returns: Record<string, unknown>
                           },
"over":
{ Args: { "a": number }; Returns: { error: true } & "Could not choose the best candidate function between: public.over(a => int4), public.over(a => text). Try renaming the parameters or the function itself in the database so function overloading can be resolved"
                           } |
{ Args: { "a": string }; Returns: { error: true } & "Could not choose the best candidate function between: public.over(a => int4), public.over(a => text). Try renaming the parameters or the function itself in the database so function overloading can be resolved"
                           } |
{ Args: { "a": string,"b": number }; Returns: string[]
                           },
"over2":
{ Args: { "a": number }; Returns: number
                           } |
{ Args: { "a": number,"b"?: string }; Returns: number
                           },
"plain":
{ Args: Record<PropertyKey, never>; Returns: number
                           },
"rec":
{ Args: Record<PropertyKey, never>; Returns: Record<string, unknown>
                           },
"recs":
{ Args: Record<PropertyKey, never>; Returns: Record<string, unknown>[]
                           },
"row1":
{ Args: Record<PropertyKey, never>; Returns: {
              "addr": Database["public"]['CompositeTypes']["address"] | null,
"age": number | null,
"b": string | null,
"big": number | null,
"bitf": unknown,
"ch": string | null,
"created_at": string | null,
"data": Json | null,
"dt": string | null,
"em": string,
"emb": string | null,
"gen": string | null,
"id": string,
"ip": unknown,
"iv": string | null,
"jb": (Json)[] | null,
"level": "low"|"high" | null,
"m": (Database["public"]['Enums']["mood"])[] | null,
"mac": unknown,
"meta": NonNullable<Json>,
"mny": unknown,
"mood": Database["public"]['Enums']["mood"] | null,
"name": string,
"num": number | null,
"od": unknown,
"order": number | null,
"pos": number | null,
"r": number | null,
"rg": unknown,
"tags": (string)[],
"tm": string | null,
"tr": unknown,
"ts": unknown,
"tz": string | null,
"uu": (string)[] | null,
"vb": unknown,
"vc": string | null,
"weird-name": number | null,
"xm": unknown,
"xy": unknown
            }
                          SetofOptions: {
        from: "*"
        to: "users"
        isOneToOne: true
        isSetofReturn: false
      } },
"rows":
{ Args: Record<PropertyKey, never>; Returns: {
              "addr": Database["public"]['CompositeTypes']["address"] | null,
"age": number | null,
"b": string | null,
"big": number | null,
"bitf": unknown,
"ch": string | null,
"created_at": string | null,
"data": Json | null,
"dt": string | null,
"em": string,
"emb": string | null,
"gen": string | null,
"id": string,
"ip": unknown,
"iv": string | null,
"jb": (Json)[] | null,
"level": "low"|"high" | null,
"m": (Database["public"]['Enums']["mood"])[] | null,
"mac": unknown,
"meta": NonNullable<Json>,
"mny": unknown,
"mood": Database["public"]['Enums']["mood"] | null,
"name": string,
"num": number | null,
"od": unknown,
"order": number | null,
"pos": number | null,
"r": number | null,
"rg": unknown,
"tags": (string)[],
"tm": string | null,
"tr": unknown,
"ts": unknown,
"tz": string | null,
"uu": (string)[] | null,
"vb": unknown,
"vc": string | null,
"weird-name": number | null,
"xm": unknown,
"xy": unknown
            }[]
                          SetofOptions: {
        from: "*"
        to: "users"
        isOneToOne: false
        isSetofReturn: true
      } },
"sets":
{ Args: Record<PropertyKey, never>; Returns: number[]
                           },
"tab":
{ Args: { "x": number }; Returns: {
              "id": number,"m": Database["public"]['Enums']["mood"],"name": string
            }[]
                           },
"tcomp":
{ Args: { "a": Database["public"]['CompositeTypes']["address"] }; Returns: number
                           },
"vari":
{ Args: { "a": (number)[] }; Returns: number
                           },
"vrows":
{ Args: Record<PropertyKey, never>; Returns: {
              "data": Json | null,
"id": string,
"mood": Database["public"]['Enums']["mood"] | null,
"name": string,
"pos": number | null
            }[]
                          SetofOptions: {
        from: "*"
        to: "user_view"
        isOneToOne: false
        isSetofReturn: true
      } },
"with_row":
{ Args: { "k": number,"u": Omit<Database["public"]['Tables']["users"]['Row'], Database["public"]['Tables']["users"]['ComputedFields']> }; Returns: number
                           }
          }
          Enums: {
            "mood": "sad"|"ok"|"happy"
          }
          CompositeTypes: {
            "address": {
                        "street": string | null,"zip": number | null,"kind": "low"|"high" | null,"tags": (string)[] | null
                      }
          }
        }
}

type DatabaseWithoutInternals = Omit<Database, '__InternalSupabase'>

type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, "public">]

export type Tables<
  DefaultSchemaTableNameOrOptions extends
    | keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
        DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? (DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"] &
      DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Views"])[TableName] extends {
      Row: infer R
    }
    ? R
    : never
  : DefaultSchemaTableNameOrOptions extends keyof (DefaultSchema["Tables"] & DefaultSchema["Views"])
  ? (DefaultSchema["Tables"] & DefaultSchema["Views"])[DefaultSchemaTableNameOrOptions] extends {
      Row: infer R
    }
    ? R
    : never
  : never

export type TablesInsert<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Insert: infer I
    }
    ? I
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Insert: infer I
    }
    ? I
    : never
  : never

export type TablesUpdate<
  DefaultSchemaTableNameOrOptions extends
    | keyof DefaultSchema["Tables"]
    | { schema: keyof DatabaseWithoutInternals },
  TableName extends DefaultSchemaTableNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"]
    : never = never
> = DefaultSchemaTableNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaTableNameOrOptions["schema"]]["Tables"][TableName] extends {
      Update: infer U
    }
    ? U
    : never
  : DefaultSchemaTableNameOrOptions extends keyof DefaultSchema["Tables"]
  ? DefaultSchema["Tables"][DefaultSchemaTableNameOrOptions] extends {
      Update: infer U
    }
    ? U
    : never
  : never

export type Enums<
  DefaultSchemaEnumNameOrOptions extends
    | keyof DefaultSchema["Enums"]
    | { schema: keyof DatabaseWithoutInternals },
  EnumName extends DefaultSchemaEnumNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"]
    : never = never
> = DefaultSchemaEnumNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[DefaultSchemaEnumNameOrOptions["schema"]]["Enums"][EnumName]
  : DefaultSchemaEnumNameOrOptions extends keyof DefaultSchema["Enums"]
  ? DefaultSchema["Enums"][DefaultSchemaEnumNameOrOptions]
  : never

export type CompositeTypes<
  PublicCompositeTypeNameOrOptions extends
    | keyof DefaultSchema["CompositeTypes"]
    | { schema: keyof DatabaseWithoutInternals },
  CompositeTypeName extends PublicCompositeTypeNameOrOptions extends {
    schema: keyof DatabaseWithoutInternals
  }
    ? keyof DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"]
    : never = never
> = PublicCompositeTypeNameOrOptions extends { schema: keyof DatabaseWithoutInternals }
  ? DatabaseWithoutInternals[PublicCompositeTypeNameOrOptions["schema"]]["CompositeTypes"][CompositeTypeName]
  : PublicCompositeTypeNameOrOptions extends keyof DefaultSchema["CompositeTypes"]
  ? DefaultSchema["CompositeTypes"][PublicCompositeTypeNameOrOptions]
  : never

export const Constants = {
  "api": {
          Enums: {
            "flavour": ["sweet \"x\"", "sour"]
          }
        },"public": {
          Enums: {
            "mood": ["sad", "ok", "happy"]
          }
        }
} as const
