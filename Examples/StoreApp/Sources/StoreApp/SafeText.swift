extension String {
    /// The text as a single line of limited length, without characters that could move the cursor, forge a prompt or
    /// change the direction of other text.
    public var singleLine: String {
        let limit = 200
        let scalars = unicodeScalars.prefix(limit).map { scalar -> Unicode.Scalar? in
            switch scalar {
            case "\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": " "
            default: scalar.isUnsafe ? nil : scalar
            }
        }
        return String(String.UnicodeScalarView(scalars.compactMap { $0 }))
    }

    /// A name in quotation marks, which can't contain any itself.
    ///
    /// Otherwise, a name could continue the sentence in which it is shown.
    var quoted: String {
        "“" + singleLine.filter { !"“”„‟\"".contains($0) }.prefix(60) + "”"
    }
}

extension Unicode.Scalar {
    fileprivate var isUnsafe: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            true
        default: false
        }
    }
}
