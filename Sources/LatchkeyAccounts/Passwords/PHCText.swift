import LatchkeyModel

/// Parses the parts of a password hash in the PHC format, `$kind$parameters$salt$digest`.
enum PHCText {
    /// Returns the parts between the dollar signs.
    ///
    /// The text must start with a dollar sign and have exactly `count` parts.
    ///
    /// - Throws: ``StoredHash/Refusal``.
    static func pieces(of text: String, count: Int) throws(StoredHash.Refusal) -> [String] {
        let pieces = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard pieces.count == count + 1, pieces[0].isEmpty else { throw broken }
        return Array(pieces.dropFirst())
    }

    /// Returns the numbers in a parameter list such as `m=1,t=2,p=3`.
    ///
    /// The list must contain exactly the given names, in the given order. The numbers must be positive and
    /// have at most ten digits without leading zeros.
    ///
    /// - Throws: ``StoredHash/Refusal`` if a number is malformed or if the names don't match.
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
    ///   if the number of bytes is out of range.
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

    /// Throws an error if any parameters exceed their limits.
    ///
    /// The error's reason lists the limits.
    static func check(_ isWithin: Bool, bounds: String) throws(StoredHash.Refusal) {
        guard isWithin else {
            throw StoredHash.Refusal(
                reason: "exceeds the cost limits of this server: \(bounds)."
            )
        }
    }

    /// The error for a malformed hash.
    static let broken = StoredHash.Refusal(reason: "is malformed.")
}
