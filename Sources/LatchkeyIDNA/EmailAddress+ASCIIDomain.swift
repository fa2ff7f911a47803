import CIDN2
package import LatchkeyModel

extension EmailAddress {
    /// The address with its domain in ASCII form (UTS 46, RFC 5891), or `nil` if the domain has none.
    ///
    /// A domain with non-ASCII letters can be written in several ways, and mail systems only know the ASCII
    /// form. The server compares and sends addresses in this form, so that a mailbox belongs to one account.
    /// The mapping is the non-transitional one, in which `ß` and `ss` are different domains.
    package var withASCIIDomain: EmailAddress? {
        guard !address.utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        let parts = address.unicodeScalars.split(separator: "@")
        guard let local = parts.first, let domain = parts.last, parts.count == 2 else { return nil }
        guard !domain.allSatisfy(\.isASCII) else { return self }
        return Self.ascii(String(domain)).flatMap { EmailAddress("\(String(local))@\($0)") }
    }

    /// Returns the ASCII form of a domain, or `nil` if the domain isn't valid.
    private static func ascii(_ domain: String) -> String? {
        var name: UnsafeMutablePointer<UInt8>?
        let flags = IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue
        guard idn2_lookup_u8(domain, &name, Int32(flags)) == IDN2_OK.rawValue, let name else { return nil }
        defer { idn2_free(name) }
        return String(cString: name)
    }
}
