// `Int128` requires iOS 18.
let wide: Int128 = 1  // fault: 'Int128' is only available in
