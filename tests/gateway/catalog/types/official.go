package database

type ApiASelect struct {
  Em string      `json:"em"`
  Id int32       `json:"id"`
  J  interface{} `json:"j"`
  N  string      `json:"n"`
  X  *string     `json:"x"`
}

type ApiAInsert struct {
  Em string      `json:"em"`
  Id int32       `json:"id"`
  J  interface{} `json:"j"`
  N  string      `json:"n"`
  X  *string     `json:"x"`
}

type ApiAUpdate struct {
  Em *string     `json:"em"`
  Id *int32      `json:"id"`
  J  interface{} `json:"j"`
  N  *string     `json:"n"`
  X  *string     `json:"x"`
}

type ApiBSelect struct {
  AId int32  `json:"a_id"`
  A2  *int32 `json:"a2"`
  Id  int32  `json:"id"`
}

type ApiBInsert struct {
  AId int32  `json:"a_id"`
  A2  *int32 `json:"a2"`
  Id  int32  `json:"id"`
}

type ApiBUpdate struct {
  AId *int32 `json:"a_id"`
  A2  *int32 `json:"a2"`
  Id  *int32 `json:"id"`
}

type ApiTabLeSelect struct {
  X  *int32 `json:"_x"`
  1a *int32 `json:"1a"`
  A  *int32 `json:"a"`
  A  *int32 `json:"A"`
  AB *int32 `json:"a b"`
  AB *int32 `json:"a_b"`
  Ab *int32 `json:"ab"`
  AB *int32 `json:"aB"`
  Z  *int32 `json:"z"`
  Z  *int32 `json:"Z"`
}

type ApiTabLeInsert struct {
  X  *int32 `json:"_x"`
  1a *int32 `json:"1a"`
  A  *int32 `json:"a"`
  A  *int32 `json:"A"`
  AB *int32 `json:"a b"`
  AB *int32 `json:"a_b"`
  Ab *int32 `json:"ab"`
  AB *int32 `json:"aB"`
  Z  *int32 `json:"z"`
  Z  *int32 `json:"Z"`
}

type ApiTabLeUpdate struct {
  X  *int32 `json:"_x"`
  1a *int32 `json:"1a"`
  A  *int32 `json:"a"`
  A  *int32 `json:"A"`
  AB *int32 `json:"a b"`
  AB *int32 `json:"a_b"`
  Ab *int32 `json:"ab"`
  AB *int32 `json:"aB"`
  Z  *int32 `json:"z"`
  Z  *int32 `json:"Z"`
}

type ApiThingsSelect struct {
  Flavour string  `json:"flavour"`
  Id      int32   `json:"id"`
  Mood    *string `json:"mood"`
  Owner   *string `json:"owner"`
}

type ApiThingsInsert struct {
  Flavour string  `json:"flavour"`
  Id      int32   `json:"id"`
  Mood    *string `json:"mood"`
  Owner   *string `json:"owner"`
}

type ApiThingsUpdate struct {
  Flavour *string `json:"flavour"`
  Id      *int32  `json:"id"`
  Mood    *string `json:"mood"`
  Owner   *string `json:"owner"`
}

type PublicCommentsSelect struct {
  Body   *string `json:"body"`
  Id     int32   `json:"id"`
  Parent *int32  `json:"parent"`
  PostId *int64  `json:"post_id"`
  Tag    *string `json:"tag"`
}

type PublicCommentsInsert struct {
  Body   *string `json:"body"`
  Id     int32   `json:"id"`
  Parent *int32  `json:"parent"`
  PostId *int64  `json:"post_id"`
  Tag    *string `json:"tag"`
}

type PublicCommentsUpdate struct {
  Body   *string `json:"body"`
  Id     *int32  `json:"id"`
  Parent *int32  `json:"parent"`
  PostId *int64  `json:"post_id"`
  Tag    *string `json:"tag"`
}

type PublicNoColumnsSelect struct {

}

type PublicNoColumnsInsert struct {

}

type PublicNoColumnsUpdate struct {

}

type PublicPartSelect struct {
  At *string `json:"at"`
  Id *int32  `json:"id"`
}

type PublicPartInsert struct {
  At *string `json:"at"`
  Id *int32  `json:"id"`
}

type PublicPartUpdate struct {
  At *string `json:"at"`
  Id *int32  `json:"id"`
}

type PublicPart1Select struct {
  At *string `json:"at"`
  Id *int32  `json:"id"`
}

type PublicPart1Insert struct {
  At *string `json:"at"`
  Id *int32  `json:"id"`
}

type PublicPart1Update struct {
  At *string `json:"at"`
  Id *int32  `json:"id"`
}

type PublicPostTagsSelect struct {
  PostId int64  `json:"post_id"`
  Tag    string `json:"tag"`
}

type PublicPostTagsInsert struct {
  PostId int64  `json:"post_id"`
  Tag    string `json:"tag"`
}

type PublicPostTagsUpdate struct {
  PostId *int64  `json:"post_id"`
  Tag    *string `json:"tag"`
}

type PublicPostsSelect struct {
  Byd     int64   `json:"byd"`
  Editor  *string `json:"editor"`
  Flavour *string `json:"flavour"`
  Id      int64   `json:"id"`
  OneUser *string `json:"one_user"`
  Seq     int64   `json:"seq"`
  Title   string  `json:"title"`
  UserId  string  `json:"user_id"`
}

type PublicPostsInsert struct {
  Byd     *int64  `json:"byd"`
  Editor  *string `json:"editor"`
  Flavour *string `json:"flavour"`
  Id      *int64  `json:"id"`
  OneUser *string `json:"one_user"`
  Seq     *int64  `json:"seq"`
  Title   string  `json:"title"`
  UserId  string  `json:"user_id"`
}

type PublicPostsUpdate struct {
  Byd     *int64  `json:"byd"`
  Editor  *string `json:"editor"`
  Flavour *string `json:"flavour"`
  Id      *int64  `json:"id"`
  OneUser *string `json:"one_user"`
  Seq     *int64  `json:"seq"`
  Title   *string `json:"title"`
  UserId  *string `json:"user_id"`
}

type PublicSameSelect struct {
  Other  *string `json:"other"`
  UserId string  `json:"user_id"`
}

type PublicSameInsert struct {
  Other  *string `json:"other"`
  UserId string  `json:"user_id"`
}

type PublicSameUpdate struct {
  Other  *string `json:"other"`
  UserId *string `json:"user_id"`
}

type PublicUsersSelect struct {
  Addr      map[string]interface{} `json:"addr"`
  Age       *int16                 `json:"age"`
  B         []byte                 `json:"b"`
  Big       *int64                 `json:"big"`
  Bitf      interface{}            `json:"bitf"`
  Ch        *string                `json:"ch"`
  CreatedAt *string                `json:"created_at"`
  Data      interface{}            `json:"data"`
  Dt        *string                `json:"dt"`
  Em        string                 `json:"em"`
  Emb       *string                `json:"emb"`
  Gen       *string                `json:"gen"`
  Id        string                 `json:"id"`
  Ip        interface{}            `json:"ip"`
  Iv        *string                `json:"iv"`
  Jb        []interface{}          `json:"jb"`
  Level     *string                `json:"level"`
  M         []*string              `json:"m"`
  Mac       interface{}            `json:"mac"`
  Meta      interface{}            `json:"meta"`
  Mny       interface{}            `json:"mny"`
  Mood      *string                `json:"mood"`
  Name      string                 `json:"name"`
  Num       *float64               `json:"num"`
  Od        interface{}            `json:"od"`
  Order     *int32                 `json:"order"`
  Pos       *int32                 `json:"pos"`
  R         *float32               `json:"r"`
  Rg        *string                `json:"rg"`
  Tags      []string               `json:"tags"`
  Tm        *string                `json:"tm"`
  Tr        *string                `json:"tr"`
  Ts        interface{}            `json:"ts"`
  Tz        *string                `json:"tz"`
  Uu        []*string              `json:"uu"`
  Vb        interface{}            `json:"vb"`
  Vc        *string                `json:"vc"`
  WeirdName *int32                 `json:"weird-name"`
  Xm        interface{}            `json:"xm"`
  Xy        interface{}            `json:"xy"`
}

type PublicUsersInsert struct {
  Addr      map[string]interface{} `json:"addr"`
  Age       *int16                 `json:"age"`
  B         []byte                 `json:"b"`
  Big       *int64                 `json:"big"`
  Bitf      interface{}            `json:"bitf"`
  Ch        *string                `json:"ch"`
  CreatedAt *string                `json:"created_at"`
  Data      interface{}            `json:"data"`
  Dt        *string                `json:"dt"`
  Em        string                 `json:"em"`
  Emb       *string                `json:"emb"`
  Gen       *string                `json:"gen"`
  Id        *string                `json:"id"`
  Ip        interface{}            `json:"ip"`
  Iv        *string                `json:"iv"`
  Jb        []interface{}          `json:"jb"`
  Level     *string                `json:"level"`
  M         []*string              `json:"m"`
  Mac       interface{}            `json:"mac"`
  Meta      interface{}            `json:"meta"`
  Mny       interface{}            `json:"mny"`
  Mood      *string                `json:"mood"`
  Name      string                 `json:"name"`
  Num       *float64               `json:"num"`
  Od        interface{}            `json:"od"`
  Order     *int32                 `json:"order"`
  Pos       *int32                 `json:"pos"`
  R         *float32               `json:"r"`
  Rg        *string                `json:"rg"`
  Tags      []string               `json:"tags"`
  Tm        *string                `json:"tm"`
  Tr        *string                `json:"tr"`
  Ts        interface{}            `json:"ts"`
  Tz        *string                `json:"tz"`
  Uu        []*string              `json:"uu"`
  Vb        interface{}            `json:"vb"`
  Vc        *string                `json:"vc"`
  WeirdName *int32                 `json:"weird-name"`
  Xm        interface{}            `json:"xm"`
  Xy        interface{}            `json:"xy"`
}

type PublicUsersUpdate struct {
  Addr      map[string]interface{} `json:"addr"`
  Age       *int16                 `json:"age"`
  B         []byte                 `json:"b"`
  Big       *int64                 `json:"big"`
  Bitf      interface{}            `json:"bitf"`
  Ch        *string                `json:"ch"`
  CreatedAt *string                `json:"created_at"`
  Data      interface{}            `json:"data"`
  Dt        *string                `json:"dt"`
  Em        *string                `json:"em"`
  Emb       *string                `json:"emb"`
  Gen       *string                `json:"gen"`
  Id        *string                `json:"id"`
  Ip        interface{}            `json:"ip"`
  Iv        *string                `json:"iv"`
  Jb        []interface{}          `json:"jb"`
  Level     *string                `json:"level"`
  M         []*string              `json:"m"`
  Mac       interface{}            `json:"mac"`
  Meta      interface{}            `json:"meta"`
  Mny       interface{}            `json:"mny"`
  Mood      *string                `json:"mood"`
  Name      *string                `json:"name"`
  Num       *float64               `json:"num"`
  Od        interface{}            `json:"od"`
  Order     *int32                 `json:"order"`
  Pos       *int32                 `json:"pos"`
  R         *float32               `json:"r"`
  Rg        *string                `json:"rg"`
  Tags      []*string              `json:"tags"`
  Tm        *string                `json:"tm"`
  Tr        *string                `json:"tr"`
  Ts        interface{}            `json:"ts"`
  Tz        *string                `json:"tz"`
  Uu        []*string              `json:"uu"`
  Vb        interface{}            `json:"vb"`
  Vc        *string                `json:"vc"`
  WeirdName *int32                 `json:"weird-name"`
  Xm        interface{}            `json:"xm"`
  Xy        interface{}            `json:"xy"`
}

type ApiVCteSelect struct {
  Id int32  `json:"id"`
  N  string `json:"n"`
}

type ApiVExprSelect struct {
  CastTo *string     `json:"cast_to"`
  More   *int32      `json:"more"`
  One    *int32      `json:"one"`
  Whole  interface{} `json:"whole"`
}

type ApiVFullSelect struct {
  Bid *int32 `json:"bid"`
  Id  *int32 `json:"id"`
}

type ApiVGroupSelect struct {
  Id int32   `json:"id"`
  M  *string `json:"m"`
}

type ApiVLeftSelect struct {
  AId int32   `json:"a_id"`
  Aid *int32  `json:"aid"`
  Id  int32   `json:"id"`
  N   *string `json:"n"`
}

type ApiVNestedSelect struct {
  Em string      `json:"em"`
  Id int32       `json:"id"`
  J  interface{} `json:"j"`
  N  string      `json:"n"`
  X  *string     `json:"x"`
}

type ApiVNested2Select struct {
  Id int32   `json:"id"`
  N  string  `json:"n"`
  X  *string `json:"x"`
}

type ApiVRollupSelect struct {
  Id *int32 `json:"id"`
}

type ApiVSubSelect struct {
  Id int32 `json:"id"`
}

type ApiVTriggerSelect struct {
  Count *int64 `json:"count"`
  Id    int32  `json:"id"`
}

type ApiVUnionSelect struct {
  Id *int32  `json:"id"`
  N  *string `json:"n"`
}

type PublicJoinedSelect struct {
  Id    int64  `json:"id"`
  Name  string `json:"name"`
  Title string `json:"title"`
  Uid   string `json:"uid"`
}

type PublicOfViewSelect struct {
  Id   string `json:"id"`
  Name string `json:"name"`
}

type PublicUpdatablePartlySelect struct {
  Id   string  `json:"id"`
  Name string  `json:"name"`
  Up   *string `json:"up"`
}

type PublicUserViewSelect struct {
  Data interface{} `json:"data"`
  Id   string      `json:"id"`
  Mood *string     `json:"mood"`
  Name string      `json:"name"`
  Pos  *int32      `json:"pos"`
}

type ApiMSelect struct {
  Id int32   `json:"id"`
  N  string  `json:"n"`
  X  *string `json:"x"`
}

type PublicMatSelect struct {
  N      *int64 `json:"n"`
  UserId string `json:"user_id"`
}

type PublicAddress struct {
  Street string      `json:"street"`
  Zip    interface{} `json:"zip"`
  Kind   interface{} `json:"kind"`
  Tags   interface{} `json:"tags"`
}
