/// Finds phone numbers and e-mail addresses in text and masks them.
enum ContactPattern {
    /// Returns a copy of the text in which all phone numbers and e-mail addresses are replaced with
    /// placeholders.
    static func masked(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "+") }) else {
            return text
        }
        return phonesMasked(in: emailsMasked(in: text))
    }

    /// Masks e-mail addresses: a local part, followed by `@` and a domain that contains a dot.
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

    /// Masks phone numbers: a plus sign followed by 7 to 15 digits, which may be separated by spaces or
    /// punctuation.
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
        // The quotation marks of a placeholder can't be part of an address.
        !scalar.isASCII && scalar != "‹" && scalar != "›" || isDigit(scalar) || scalar == "-" || scalar == "."
            || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }
}
