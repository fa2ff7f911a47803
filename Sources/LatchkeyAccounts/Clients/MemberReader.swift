import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Reads the members of a client's metadata one by one, and collects them in their normalized form.
///
/// A member whose value is null is treated as missing, because Hydra's clients send null for many members.
struct MemberReader {
    /// The members that have been read.
    private(set) var document: [OrderedJSON.Member] = []

    private let members: [String: OrderedJSON]
    /// The names of the objects around the members, each followed by a dot.
    private let prefix: String
    private var known: Set<String> = []

    init(_ json: OrderedJSON) throws(ServerError) {
        guard case .object(let members) = json else { throw .malformed("The body must be a JSON object.") }
        self.init(members, below: "")
    }

    private init(_ members: [OrderedJSON.Member], below prefix: String) {
        self.members = Dictionary(
            members.filter { $0.value != .null }.map { ($0.name, $0.value) }
        ) { first, _ in first }
        self.prefix = prefix
    }

    /// Returns the name of a member with the names of the objects around it.
    func place(_ name: String) -> String { prefix + name }

    mutating func add(_ name: String, as value: OrderedJSON) {
        document.append(OrderedJSON.Member(name: name, value: value))
    }

    /// Returns the value of a member, or `nil` if it is missing or null.
    mutating func value(_ name: String) -> OrderedJSON? {
        known.insert(name)
        return members[name]
    }

    func refusal(_ name: String, because reason: String) -> ServerError {
        .malformed("The member \(place(name)) \(reason)")
    }

    /// Throws an error if the object has members that haven't been read.
    func refuseOthers() throws(ServerError) {
        guard let other = members.keys.filter({ !known.contains($0) }).min() else { return }
        let name = PlainName(other).map { " \(place($0.description))" } ?? ""
        throw .malformed("The client has an unknown member\(name).")
    }

    // MARK: Text

    /// Reads a string that is empty by default.
    ///
    /// A text that is shown to users can't contain invisible characters, with which one client could pass for
    /// another.
    mutating func text(
        _ name: String,
        atMost limit: Int,
        isShown: Bool = false
    ) throws(ServerError) -> String {
        let text = try optionalText(name, atMost: limit) ?? ""
        guard !isShown || TerminalText(text).text.hasSameBytes(as: text) else {
            throw refusal(name, because: "must not contain control characters or invisible characters.")
        }
        add(name, as: .string(text))
        return text
    }

    mutating func requiredText(_ name: String, atMost limit: Int) throws(ServerError) -> String {
        guard let text = try optionalText(name, atMost: limit), !text.isEmpty else {
            throw refusal(name, because: "is missing.")
        }
        add(name, as: .string(text))
        return text
    }

    mutating func optionalText(_ name: String, atMost limit: Int) throws(ServerError) -> String? {
        switch value(name) {
        case nil: return nil
        case .string(let text)?:
            guard text.utf8.count <= limit else {
                throw refusal(name, because: "must not be longer than \(limit) bytes.")
            }
            return text
        default: throw refusal(name, because: "must be a string.")
        }
    }

    /// Reads the URL of a page, which pages link to.
    mutating func webURL(_ name: String, onlyHTTPS: Bool = false) throws(ServerError) -> String? {
        let text = try text(name, atMost: RedirectURI.byteLimit)
        guard !text.isEmpty else { return nil }
        let address = try? WebAddress(parsing: text, dropsFragment: true)
        guard let address, !onlyHTTPS || address.origin.hasPrefix("https:") else {
            throw refusal(
                name,
                because: onlyHTTPS ? "must be an https URL." : "must be an http or https URL."
            )
        }
        return text
    }

    // MARK: Lists

    /// Reads a list of different strings, which is empty by default.
    mutating func texts(_ name: String, atMost limit: Int) throws(ServerError) -> [String] {
        let texts = try list(name, atMost: limit) ?? []
        add(name, as: .array(texts.map { .string($0) }))
        return texts
    }

    private mutating func list(_ name: String, atMost limit: Int) throws(ServerError) -> [String]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value else {
            throw refusal(name, because: "must be an array of strings.")
        }
        var texts: [String] = []
        // A set, because a list can have thousands of elements.
        var known: Set<[UInt8]> = []
        for element in elements {
            guard case .string(let text) = element else {
                throw refusal(name, because: "must be an array of strings.")
            }
            guard text.utf8.count <= limit else {
                throw refusal(name, because: "must not contain a string that is longer than \(limit) bytes.")
            }
            if known.insert(Array(text.utf8)).inserted { texts.append(text) }
        }
        return texts
    }

    mutating func redirectURIs(
        _ name: String,
        by rules: (most: Int, redirects: RedirectURI.Rules)?
    ) throws(ServerError) -> [RedirectURI] {
        let texts = try list(name, atMost: RedirectURI.byteLimit) ?? []
        add(name, as: .array(texts.map { .string($0) }))
        guard let (most, redirects) = rules else { return texts.compactMap(RedirectURI.init(stored:)) }
        guard texts.count <= most else {
            throw refusal(name, because: "must not contain more than \(most) URIs.")
        }
        var uris: [RedirectURI] = []
        for (index, text) in texts.enumerated() {
            do {
                uris.append(try RedirectURI(text, by: redirects))
            } catch {
                throw .malformed("The URI \(place(name))/\(index) \(error.reason)")
            }
        }
        return uris
    }

    /// Reads a list of origins that web pages of the client have.
    mutating func origins(_ name: String, allowingHTTP allowsHTTP: Bool) throws(ServerError) -> [String] {
        var origins: [String] = []
        var known: Set<String> = []
        for text in try list(name, atMost: RedirectURI.byteLimit) ?? [] {
            let address = try? WebAddress(origin: text)
            guard let address, address.isConfidential || allowsHTTP else {
                throw refusal(name, because: "must only contain origins such as https://app.example.com.")
            }
            if known.insert(address.origin).inserted { origins.append(address.origin) }
        }
        add(name, as: .array(origins.map { .string($0) }))
        return origins
    }

    /// Reads scopes that are separated by spaces (RFC 6749, section 3.3).
    mutating func scopes(_ name: String, default usual: [String]) throws(ServerError) -> [String] {
        let text = try optionalText(name, atMost: 4096) ?? ""
        var scopes: [String] = []
        var known: Set<String> = []
        for scope in text.split(separator: " ").map(String.init) where known.insert(scope).inserted {
            let isAllowed = scope.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            guard isAllowed else {
                throw refusal(name, because: "contains a character that scopes can't have.")
            }
            scopes.append(scope)
        }
        if scopes.isEmpty { scopes = usual }
        add(name, as: .string(scopes.joined(separator: " ")))
        return scopes
    }

    // MARK: Choices

    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        default usual: Choice
    ) throws(ServerError) -> Choice {
        let text = try optionalText(name, atMost: 128) ?? ""
        let choice = text.isEmpty ? usual : try read(text, of: name)
        add(name, as: .string(choice.rawValue))
        return choice
    }

    /// Reads a choice that isn't returned if the client has none.
    mutating func optionalChoice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(ServerError) -> Choice? {
        guard let text = try optionalText(name, atMost: 128), !text.isEmpty else { return nil }
        let choice: Choice = try read(text, of: name)
        add(name, as: .string(choice.rawValue))
        return choice
    }

    mutating func choices<Choice: RawRepresentable<String> & CaseIterable & Hashable>(
        _ name: String,
        default usual: [Choice]
    ) throws(ServerError) -> Set<Choice> {
        var choices: [Choice] = []
        for text in try list(name, atMost: 128) ?? [] { choices.append(try read(text, of: name)) }
        if choices.isEmpty { choices = usual }
        add(name, as: .array(choices.map { .string($0.rawValue) }))
        return Set(choices)
    }

    private func read<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String,
        of name: String
    ) throws(ServerError) -> Choice {
        if let choice = Choice(rawValue: text) { return choice }
        let offered = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw refusal(name, because: "has a value that this server doesn't support. It supports: \(offered).")
    }

    /// Reads a list that can only have the given elements, which are also its default.
    mutating func fixedList(_ name: String, only values: [String]) throws(ServerError) {
        let texts = try list(name, atMost: 128) ?? []
        guard texts.allSatisfy(values.contains) else {
            throw refusal(
                name,
                because:
                    "has a value that this server doesn't support. It supports: \(values.joined(separator: ", "))."
            )
        }
        add(name, as: .array(values.map { .string($0) }))
    }

    // MARK: Other values

    mutating func bool(_ name: String, default usual: Bool = false) throws(ServerError) -> Bool {
        let bool = try optionalBool(name) ?? usual
        add(name, as: .bool(bool))
        return bool
    }

    mutating func optionalBool(_ name: String) throws(ServerError) -> Bool? {
        switch value(name) {
        case nil: return nil
        case .bool(let bool)?: return bool
        default: throw refusal(name, because: "must be true or false.")
        }
    }

    mutating func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws(ServerError) -> Int? {
        guard let value = value(name) else { return nil }
        guard case .integer(let number) = value, let number = Int(exactly: number), range.contains(number)
        else {
            throw refusal(
                name,
                because: "must be an integer from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        add(name, as: .integer(Int64(number)))
        return number
    }

    /// Reads a lifespan in Go's format, which is returned as null if the client has none.
    mutating func lifespan(_ name: String) throws(ServerError) -> Duration? {
        guard let text = try optionalText(name, atMost: 128), !text.isEmpty else {
            add(name, as: .null)
            return nil
        }
        guard let duration = Duration(goText: text), duration >= .seconds(1) else {
            throw refusal(name, because: "must be a duration of at least 1s, such as 1h or 1m30s.")
        }
        add(name, as: .string(duration.goText))
        return duration
    }

    /// Returns a reader for a nested object, which has no members if it is missing.
    mutating func object(_ name: String) throws(ServerError) -> MemberReader {
        switch value(name) {
        case nil: return MemberReader([], below: place(name) + ".")
        case .object(let members)?: return MemberReader(members, below: place(name) + ".")
        default: throw refusal(name, because: "must be an object.")
        }
    }

    mutating func optionalObject<Object>(
        _ name: String,
        read: (inout MemberReader) throws(ServerError) -> Object
    ) throws(ServerError) -> Object? {
        guard value(name) != nil else { return nil }
        var reader = try object(name)
        let object = try read(&reader)
        add(name, as: .object(reader.document))
        return object
    }

    mutating func objects<Object>(
        _ name: String,
        read: (inout MemberReader) throws(ServerError) -> Object
    ) throws(ServerError) -> [Object] {
        var (objects, documents): ([Object], [OrderedJSON]) = ([], [])
        switch value(name) {
        case nil: break
        case .array(let elements)?:
            for (index, element) in elements.enumerated() {
                guard case .object(let members) = element else {
                    throw refusal(name, because: "must be an array of objects.")
                }
                var reader = MemberReader(members, below: "\(place(name))/\(index).")
                objects.append(try read(&reader))
                documents.append(.object(reader.document))
            }
        default: throw refusal(name, because: "must be an array of objects.")
        }
        add(name, as: .array(documents))
        return objects
    }
}
