package import LatchkeyCourier
import LatchkeyWire

/// The scopes that the server offers: the built-in ones and those of the operator.
package struct ScopeCatalog: Sendable {
    /// The names of all scopes, the built-in ones first.
    package let names: [String]

    private let own: [String: OperatorScope]

    package init(_ settings: ScopeSettings) {
        own = Dictionary(settings.scopes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        names = StandardScope.allCases.map(\.rawValue) + own.keys.sorted()
    }

    /// Returns whether the server offers a scope.
    package func isKnown(_ name: String) -> Bool {
        scope(name) != nil || StandardScope(rawValue: name).map { $0.rawValue.hasSameBytes(as: name) } == true
    }

    /// Returns the operator's description of a scope, in English if there is none in the language.
    ///
    /// The result is `nil` for built-in scopes, which pages have their own texts for.
    package func description(of name: String, in language: Language) -> String? {
        guard let descriptions = scope(name)?.descriptions else { return nil }
        return descriptions[language] ?? descriptions[.english]
    }

    /// Returns the audiences of access tokens with the given scopes, without duplicates, in the order of the
    /// scopes.
    ///
    /// Built-in scopes have no audience.
    package func audiences(of names: [String]) -> [String] {
        var known: Set<String> = []
        return names.compactMap { scope($0)?.audience }.filter { known.insert($0).inserted }
    }

    /// Returns the operator's scope with exactly this name.
    ///
    /// Strings that consist of other characters can be equal, such as the Kelvin sign and the letter K.
    private func scope(_ name: String) -> OperatorScope? {
        own[name].flatMap { $0.name.hasSameBytes(as: name) ? $0 : nil }
    }
}
