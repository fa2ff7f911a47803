import LatchkeyModel

/// Parses the parts of a password hash in PHC format, `$kind$parameters$salt$digest`.
enum PHCText {
    /// Returns the parts that follow the dollar signs; their number must be `count`.
    ///
    /// A text without a leading dollar sign is malformed.
    ///
    /// - Throws: ``StoredHash/Refusal``.
    static func pieces(of text: String, count: Int) throws(StoredHash.Refusal) -> [String] {
        let pieces = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard pieces.count == count + 1, pieces[0].isEmpty else { throw broken }
        return Array(pieces.dropFirst())
    }

    /// Returns the numbers of a parameter list such as `m=1,t=2,p=3`, whose names and order are fixed.
    ///
    /// Each number must be positive and have up to ten digits without leading zeros.
    ///
    /// - Throws: ``StoredHash/Refusal`` if a number is malformed, or if the names or their order differ.
    static func numbers(in text: String, names: [String]) throws(StoredHash.Refusal) -> [Int] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == names.count else { throw broken }
        var numbers: [Int] = []
        for (name, part) in zip(names, parts) {
            let digits = part.dropFirst(name.utf8.count + 1)
            guard
                part.hasPrefix(name + "="), (1...10).contains(digits.utf8.count), digits.first != "0",
                digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits)
            else { throw broken }
            numbers.append(number)
        }
        return numbers
    }

    /// Decodes standard Base64, with or without padding, and checks the number of bytes.
    ///
    /// - Throws: ``StoredHash/Refusal`` if the text contains other characters, such as those of base64url, or
    ///   if the size is not in the range.
    static func bytes(of text: String, size: ClosedRange<Int>) throws(StoredHash.Refusal) -> [UInt8] {
        guard !text.contains(where: { $0 == "-" || $0 == "_" }) else { throw broken }
        var unpadded = text[...]
        if text.utf8.count % 4 == 0 {
            while unpadded.last == "=", text.count - unpadded.count < 2 { unpadded.removeLast() }
        }
        let url = String(unpadded.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
        guard let bytes = Base64URL.decode(url), size.contains(bytes.count) else { throw broken }
        return bytes
    }

    /// Throws an error if parameters exceed their limits, with the limits in the reason.
    static func check(_ isWithin: Bool, bounds: String) throws(StoredHash.Refusal) {
        guard isWithin else {
            throw StoredHash.Refusal(
                reason: "exceeds the cost limits of this server: \(bounds)."
            )
        }
    }

    /// The error for a hash that is malformed.
    static let broken = StoredHash.Refusal(reason: "is malformed.")
}
