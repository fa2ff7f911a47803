/// Parses bytes that are written as pairs of hexadecimal digits.
///
/// White space in the text is ignored.
func bytes(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
