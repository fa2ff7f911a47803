import Foundation
import FuzzTargets
import Testing

/// Replays the inputs that `scripts/fuzz` has collected.
///
/// Inputs that have broken a rule in the past are stored in separate files. Seeds and inputs that increase
/// coverage are stored as Base64 lines in one file for each kind.
@Suite struct `Parsers of untrusted input` {
    private struct Input {
        let name: String
        let bytes: [UInt8]
    }

    private static func inputs(of target: String) throws -> [Input] {
        let corpus = try #require(Bundle.module.url(forResource: "Corpus", withExtension: nil))
        let files = try FileManager.default.contentsOfDirectory(
            at: corpus.appending(path: target),
            includingPropertiesForKeys: nil
        )
        return try files.flatMap { file in
            let content = try Data(contentsOf: file)
            guard file.pathExtension == "base64" else {
                return [Input(name: file.lastPathComponent, bytes: Array(content))]
            }
            return try String(decoding: content, as: UTF8.self).split(separator: "\n").enumerated()
                .map { index, line in
                    let name = "\(file.lastPathComponent):\(index + 1)"
                    let bytes = try #require(Data(base64Encoded: String(line)), "\(target)/\(name)")
                    return Input(name: name, bytes: Array(bytes))
                }
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `Every input in the corpus passes the fuzz target's checks`(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try Self.inputs(of: name)
        #expect(inputs.count > 10)
        for input in inputs {
            #expect(throws: Never.self, "\(name)/\(input.name)") { try target.check(input.bytes) }
        }
    }

    @Test func `Every parser has a corpus, and every corpus has a parser`() throws {
        let corpus = try #require(Bundle.module.url(forResource: "Corpus", withExtension: nil))
        let folders = try FileManager.default.contentsOfDirectory(atPath: corpus.path())
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `The empty input and every single byte pass the fuzz target's checks`(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        try target.check([])
        for byte in UInt8.min...UInt8.max { try target.check([byte]) }
    }
}
