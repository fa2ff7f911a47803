/// A language for the texts that are shown with a form but aren't part of it.
///
/// The form's own texts come from the server.
///
/// The raw values are the primary subtags of language tags (RFC 5646).
public enum UILanguage: String, Sendable, CaseIterable {
    /// English.
    case english = "en"
    /// Norwegian Bokmål.
    case norwegian = "nb"
    /// Swedish.
    case swedish = "sv"
    /// Finnish.
    case finnish = "fi"

    /// Selects the first available language, or English if none is available.
    ///
    /// - Parameter tags: Language tags such as `sv-FI`, most preferred first. `no` and `nn` select Norwegian
    ///   Bokmål.
    public init(preferring tags: [String]) {
        for tag in tags {
            let primary = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
            switch primary {
            case "no", "nn":
                self = .norwegian
                return
            default:
                guard let language = UILanguage(rawValue: primary) else { continue }
                self = language
                return
            }
        }
        self = .english
    }
}
