extension EmailAddress {
    /// Whether only mail servers that support SMTPUTF8 (RFC 6531) can send to this address.
    ///
    /// In this case, the local part isn't ASCII. Unlike a domain, a local part has no ASCII form.
    package var requiresSMTPUTF8: Bool {
        address.unicodeScalars.prefix { $0 != "@" }.contains { !$0.isASCII }
    }
}
