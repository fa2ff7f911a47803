import LatchkeyWire

/// The syntax of URLs with any scheme.
enum URLText {
    /// Returns whether a text is a scheme (RFC 3986, section 3.1).
    static func isScheme(_ text: some StringProtocol) -> Bool {
        let letters: (UInt8) -> Bool = { (0x61...0x7A).contains($0 | 0x20) }
        guard let first = text.utf8.first, letters(first) else { return false }
        return text.utf8.allSatisfy { letters($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    }

    /// Returns the scheme of a URL in lower case.
    ///
    /// Returns `nil` if the text isn't a URL, so that it has no character that a program could treat in a special way,
    /// and can't be mistaken for an option or a path.
    static func scheme(of url: String) -> String? {
        let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, isScheme(parts[0]) else { return nil }
        // Each part of a URL before and after the fragment has the same characters.
        for part in parts[1].split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false) {
            do throws(WebAddressError) {
                try WebAddress.check(part.utf8)
            } catch {
                return nil
            }
        }
        return parts[0].lowercased()
    }
}
