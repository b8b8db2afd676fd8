package database

type ApiThingsSelect struct {
  A int32  `json:"a"`
  F string `json:"f"`
}

type ApiThingsInsert struct {
  A *int32  `json:"a"`
  F *string `json:"f"`
}

type ApiThingsUpdate struct {
  A *int32  `json:"a"`
  F *string `json:"f"`
}

type PublicUnderSelect struct {
  A *int32 `json:"a"`
}

type PublicUnderInsert struct {
  A *int32 `json:"a"`
}

type PublicUnderUpdate struct {
  A *int32 `json:"a"`
}

type PublicAbCdSelect struct {
  A *int32 `json:"a"`
}

type PublicAbCdInsert struct {
  A *int32 `json:"a"`
}

type PublicAbCdUpdate struct {
  A *int32 `json:"a"`
}

type PublicAbcDSelect struct {
  A *int32 `json:"a"`
}

type PublicAbcDInsert struct {
  A *int32 `json:"a"`
}

type PublicAbcDUpdate struct {
  A *int32 `json:"a"`
}

type PublicAbcdSelect struct {
  A *int32 `json:"a"`
}

type PublicAbcdInsert struct {
  A *int32 `json:"a"`
}

type PublicAbcdUpdate struct {
  A *int32 `json:"a"`
}

type PublicNoneSelect struct {

}

type PublicNoneInsert struct {

}

type PublicNoneUpdate struct {

}

type PublicOddSelect struct {
  1a    *int32 `json:"1a"`
  ABCD  *int32 `json:"a.b-c d"`
  AB    *int32 `json:"a\\b"`
  CD    *int32 "json:\"c\\\"`d\""
  GH    *int32 "json:\"g\\\\`h\""
  IJ    *int32 `json:"i'j"`
  QU    *int32 `json:"q\"u"`
        *int32 `json:"ü"`
  WeIrd *int32 "json:\"we`ird\""
}

type PublicOddInsert struct {
  1a    *int32 `json:"1a"`
  ABCD  *int32 `json:"a.b-c d"`
  AB    *int32 `json:"a\\b"`
  CD    *int32 "json:\"c\\\"`d\""
  GH    *int32 "json:\"g\\\\`h\""
  IJ    *int32 `json:"i'j"`
  QU    *int32 `json:"q\"u"`
        *int32 `json:"ü"`
  WeIrd *int32 "json:\"we`ird\""
}

type PublicOddUpdate struct {
  1a    *int32 `json:"1a"`
  ABCD  *int32 `json:"a.b-c d"`
  AB    *int32 `json:"a\\b"`
  CD    *int32 "json:\"c\\\"`d\""
  GH    *int32 "json:\"g\\\\`h\""
  IJ    *int32 `json:"i'j"`
  QU    *int32 `json:"q\"u"`
        *int32 `json:"ü"`
  WeIrd *int32 "json:\"we`ird\""
}

type PublicOfAnotherSelect struct {
  H  interface{}    `json:"h"`
  Hs []interface{}  `json:"hs"`
  S  *string        `json:"s"`
  Ss []*string      `json:"ss"`
}

type PublicOfAnotherInsert struct {
  H  interface{}    `json:"h"`
  Hs []interface{}  `json:"hs"`
  S  *string        `json:"s"`
  Ss []*string      `json:"ss"`
}

type PublicOfAnotherUpdate struct {
  H  interface{}    `json:"h"`
  Hs []interface{}  `json:"hs"`
  S  *string        `json:"s"`
  Ss []*string      `json:"ss"`
}

type PublicPartedSelect struct {
  A  int32   `json:"a"`
  At *string `json:"at"`
}

type PublicPartedInsert struct {
  A  int32   `json:"a"`
  At *string `json:"at"`
}

type PublicPartedUpdate struct {
  A  *int32  `json:"a"`
  At *string `json:"at"`
}

type PublicParted1Select struct {
  A  int32   `json:"a"`
  At *string `json:"at"`
}

type PublicParted1Insert struct {
  A  int32   `json:"a"`
  At *string `json:"at"`
}

type PublicParted1Update struct {
  A  *int32  `json:"a"`
  At *string `json:"at"`
}

type PublicUpperSelect struct {
  A *int32 `json:"a"`
}

type PublicUpperInsert struct {
  A *int32 `json:"a"`
}

type PublicUpperUpdate struct {
  A *int32 `json:"a"`
}

type PublicZedSelect struct {
  At    string                    `json:"at"`
  B     []byte                    `json:"b"`
  Big   int64                     `json:"big"`
  C     interface{}               `json:"c"`
  F     *string                   `json:"f"`
  F4    *float32                  `json:"f4"`
  F8    float64                   `json:"f8"`
  Flag  bool                      `json:"flag"`
  Fs    []*string                 `json:"fs"`
  G     *string                   `json:"g"`
  I     interface{}               `json:"i"`
  Id    int32                     `json:"id"`
  Iv    *string                   `json:"iv"`
  J     interface{}               `json:"j"`
  Js    []interface{}             `json:"js"`
  L     string                    `json:"l"`
  Ls    []interface{}             `json:"ls"`
  M     interface{}               `json:"m"`
  Many  []int32                   `json:"many"`
  Money interface{}               `json:"money"`
  N     float64                   `json:"n"`
  Nm    interface{}               `json:"nm"`
  O     interface{}               `json:"o"`
  P     map[string]interface{}    `json:"p"`
  Ps    []map[string]interface{}  `json:"ps"`
  R     *string                   `json:"r"`
  S     *int16                    `json:"s"`
  T     interface{}               `json:"t"`
  X     interface{}               `json:"x"`
}

type PublicZedInsert struct {
  At    *string                   `json:"at"`
  B     []byte                    `json:"b"`
  Big   *int64                    `json:"big"`
  C     interface{}               `json:"c"`
  F     *string                   `json:"f"`
  F4    *float32                  `json:"f4"`
  F8    float64                   `json:"f8"`
  Flag  bool                      `json:"flag"`
  Fs    []*string                 `json:"fs"`
  G     *string                   `json:"g"`
  I     interface{}               `json:"i"`
  Id    *int32                    `json:"id"`
  Iv    *string                   `json:"iv"`
  J     interface{}               `json:"j"`
  Js    []interface{}             `json:"js"`
  L     string                    `json:"l"`
  Ls    []interface{}             `json:"ls"`
  M     interface{}               `json:"m"`
  Many  []int32                   `json:"many"`
  Money interface{}               `json:"money"`
  N     *float64                  `json:"n"`
  Nm    interface{}               `json:"nm"`
  O     interface{}               `json:"o"`
  P     map[string]interface{}    `json:"p"`
  Ps    []map[string]interface{}  `json:"ps"`
  R     *string                   `json:"r"`
  S     *int16                    `json:"s"`
  T     interface{}               `json:"t"`
  X     interface{}               `json:"x"`
}

type PublicZedUpdate struct {
  At    *string                   `json:"at"`
  B     []byte                    `json:"b"`
  Big   *int64                    `json:"big"`
  C     interface{}               `json:"c"`
  F     *string                   `json:"f"`
  F4    *float32                  `json:"f4"`
  F8    *float64                  `json:"f8"`
  Flag  *bool                     `json:"flag"`
  Fs    []*string                 `json:"fs"`
  G     *string                   `json:"g"`
  I     interface{}               `json:"i"`
  Id    *int32                    `json:"id"`
  Iv    *string                   `json:"iv"`
  J     interface{}               `json:"j"`
  Js    []interface{}             `json:"js"`
  L     *string                   `json:"l"`
  Ls    []interface{}             `json:"ls"`
  M     interface{}               `json:"m"`
  Many  []*int32                  `json:"many"`
  Money interface{}               `json:"money"`
  N     *float64                  `json:"n"`
  Nm    interface{}               `json:"nm"`
  O     interface{}               `json:"o"`
  P     map[string]interface{}    `json:"p"`
  Ps    []map[string]interface{}  `json:"ps"`
  R     *string                   `json:"r"`
  S     *int16                    `json:"s"`
  T     interface{}               `json:"t"`
  X     interface{}               `json:"x"`
}

type PublicSeenSelect struct {
  F  *string    `json:"f"`
  Fs []*string  `json:"fs"`
  N  float64    `json:"n"`
}

type ApiKeptSelect struct {
  J interface{} `json:"j"`
  L string      `json:"l"`
}

type PublicPointOfView struct {
  X    interface{} `json:"x"`
  Y    string      `json:"y"`
  F    interface{} `json:"f"`
  At   interface{} `json:"at"`
  Tags interface{} `json:"tags"`
  Id   string      `json:"id"`
  IsIt interface{} `json:"is_it"`
}
