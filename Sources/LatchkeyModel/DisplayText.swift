extension String {
    /// Longer texts are truncated to this number of characters.
    private static let displayLimit = 2000

    /// The text as a single line of limited length, without any characters that control the terminal or
    /// affect the direction of other text.
    ///
    /// Use this property for each part of a line that comes from a server or another user. ``TerminalText``
    /// applies the same rule to whole lines.
    package var displayable: String {
        TerminalText(String(String.UnicodeScalarView(unicodeScalars.prefix(Self.displayLimit)))).text
    }
}
