/// The detection of phone numbers and e-mail addresses in text.
enum ContactPattern {
    /// Returns the text with every phone number and e-mail address replaced with a placeholder.
    static func masked(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "+") }) else {
            return text
        }
        return phonesMasked(in: emailsMasked(in: text))
    }

    /// Masks e-mail addresses, which consist of a local part, `@` and a domain with a dot.
    private static func emailsMasked(in text: String) -> String {
        var shown = ""
        var rest = text[...]
        while let at = rest.unicodeScalars.firstIndex(of: "@") {
            let local = rest[..<at].unicodeScalars.reversed().prefix(while: isLocal).count
            let domain = rest[at...].unicodeScalars.dropFirst().prefix(while: isDomain)
            guard local > 0, domain.contains(".") else {
                let next = rest.unicodeScalars.index(after: at)
                shown += rest[..<next]
                rest = rest[next...]
                continue
            }
            let start = rest.unicodeScalars.index(at, offsetBy: -local)
            shown += rest[..<start]
            shown += SensitiveName.email.mark
            rest = rest[domain.endIndex...]
        }
        return shown + String(rest)
    }

    /// Masks phone numbers, which consist of a plus sign and 7 to 15 digits, with spaces or punctuation
    /// between them.
    private static func phonesMasked(in text: String) -> String {
        var shown = ""
        var rest = text[...]
        while let plus = rest.unicodeScalars.firstIndex(of: "+") {
            let scalars = rest.unicodeScalars
            var end = scalars.index(after: plus)
            var (digits, place) = (0, end)
            while place < scalars.endIndex, isDigit(scalars[place]) || isSeparator(scalars[place]) {
                let isDigit = isDigit(scalars[place])
                place = scalars.index(after: place)
                if isDigit { (digits, end) = (digits + 1, place) }
            }
            shown += rest[..<plus]
            shown += (7...15).contains(digits) ? SensitiveName.phone.mark : String(rest[plus..<end])
            rest = rest[end...]
        }
        return shown + String(rest)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        " ()-./".unicodeScalars.contains(scalar)
    }

    private static func isLocal(_ scalar: Unicode.Scalar) -> Bool {
        isDomain(scalar) || "_%+'!#$&*?^`{|}~".unicodeScalars.contains(scalar)
    }

    private static func isDomain(_ scalar: Unicode.Scalar) -> Bool {
        // The quotation marks of a placeholder are not part of an address.
        !scalar.isASCII && scalar != "‹" && scalar != "›" || isDigit(scalar) || scalar == "-" || scalar == "."
            || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }
}
