import Foundation
import FuzzTargets
import Testing

/// What fuzzing has collected, and what it has found, once more: `scripts/fuzz` looks for more of it.
@Suite struct `Bytes from strangers` {
    @Test(arguments: FuzzTarget.all.map(\.name))
    func `break no rule`(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let corpus = try #require(Bundle.module.url(forResource: "Corpus", withExtension: nil))
        let files = try FileManager.default.contentsOfDirectory(
            at: corpus.appending(path: name),
            includingPropertiesForKeys: nil
        )
        #expect(files.count > 10)
        for file in files {
            let bytes = Array(try Data(contentsOf: file))
            #expect(throws: Never.self, "\(name)/\(file.lastPathComponent)") { try target.check(bytes) }
        }
    }

    @Test func `have a corpus for each target and no other`() throws {
        let corpus = try #require(Bundle.module.url(forResource: "Corpus", withExtension: nil))
        let folders = try FileManager.default.contentsOfDirectory(atPath: corpus.path())
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `may be nothing at all`(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        try target.check([])
        for byte in UInt8.min...UInt8.max { try target.check([byte]) }
    }
}
