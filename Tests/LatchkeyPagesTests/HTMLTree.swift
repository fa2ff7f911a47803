/// An element of a parsed page.
///
/// The parser is strict: it only accepts what our writer may produce, so that a text that has become markup is
/// an error.
final class HTMLTree {
    enum Child {
        case element(HTMLTree)
        case text(String)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let name: String
    let attributes: [(name: String, value: String)]
    private(set) var children: [Child] = []
    private(set) weak var parent: HTMLTree?

    private static let void: Set<String> = ["meta", "input", "img", "link"]

    private init(name: String, attributes: [(name: String, value: String)], parent: HTMLTree?) {
        self.name = name
        self.attributes = attributes
        self.parent = parent
    }

    subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }

    var elements: [HTMLTree] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The element and all elements in it, in document order.
    var all: [HTMLTree] { [self] + elements.flatMap(\.all) }

    var text: String {
        children.map { child in
            switch child {
            case .element(let element): element.text
            case .text(let text): text
            }
        }.joined()
    }

    var ancestors: [HTMLTree] { parent.map { [$0] + $0.ancestors } ?? [] }

    func named(_ name: String) -> [HTMLTree] { all.filter { $0.name == name } }

    func first(_ name: String, where matches: (HTMLTree) -> Bool = { _ in true }) -> HTMLTree? {
        named(name).first(where: matches)
    }

    /// Parses a document, which must begin with its type and contain one root element.
    static func parse(_ bytes: [UInt8]) throws -> HTMLTree {
        guard let text = String(validating: bytes, as: UTF8.self), text.hasPrefix("<!DOCTYPE html>") else {
            throw Failure(description: "The document has no type, or isn't UTF-8.")
        }
        var rest = text.dropFirst("<!DOCTYPE html>".count)
        let root = HTMLTree(name: "", attributes: [], parent: nil)
        var open = [root]
        while let first = rest.first {
            guard first == "<" else {
                let words = rest.prefix { $0 != "<" }
                open[open.count - 1].children.append(.text(try unescape(words)))
                rest = rest[words.endIndex...]
                continue
            }
            guard let end = rest.firstIndex(of: ">") else { throw Failure(description: "A tag doesn't end.") }
            let tag = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("/") {
                guard open.count > 1, open.removeLast().name == tag.dropFirst() else {
                    throw Failure(description: "</\(tag.dropFirst())> has no start tag.")
                }
                continue
            }
            let element = try element(in: tag, parent: open[open.count - 1])
            open[open.count - 1].children.append(.element(element))
            if !void.contains(element.name) { open.append(element) }
        }
        guard open.count == 1, root.elements.count == 1, root.children.count == 1 else {
            throw Failure(description: "The document doesn't consist of one complete element.")
        }
        return root.elements[0]
    }

    private static func element(in tag: Substring, parent: HTMLTree) throws -> HTMLTree {
        let name = tag.prefix { $0 != " " }
        guard !name.isEmpty, name.allSatisfy({ $0.isLowercase || $0.isNumber }) else {
            throw Failure(description: "<\(tag)> has no name.")
        }
        var attributes: [(name: String, value: String)] = []
        var rest = tag[name.endIndex...]
        while !rest.isEmpty {
            guard rest.removeFirst() == " " else { throw Failure(description: "<\(tag)> isn't well-formed.") }
            let name = rest.prefix { $0.isLowercase || $0 == "-" }
            rest = rest[name.endIndex...]
            guard !name.isEmpty, !attributes.contains(where: { $0.name == name }) else {
                throw Failure(description: "<\(tag)> has an empty or repeated attribute.")
            }
            guard rest.hasPrefix("=\"") else {
                attributes.append((String(name), ""))
                continue
            }
            rest = rest.dropFirst(2)
            guard let end = rest.firstIndex(of: "\"") else {
                throw Failure(description: "<\(tag)> has a value that doesn't end.")
            }
            attributes.append((String(name), try unescape(rest[..<end])))
            rest = rest[rest.index(after: end)...]
        }
        return HTMLTree(name: String(name), attributes: attributes, parent: parent)
    }

    private static func unescape(_ text: Substring) throws -> String {
        var result = ""
        var rest = text
        while let mark = rest.firstIndex(where: { "&<>\"'".contains($0) }) {
            result += rest[..<mark]
            rest = rest[mark...]
            let escapes = ["&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'"]
            guard let escape = escapes.first(where: { rest.hasPrefix($0.key) }) else {
                throw Failure(description: "“\(text)” isn't escaped.")
            }
            result += escape.value
            rest = rest.dropFirst(escape.key.count)
        }
        return result + rest
    }
}
