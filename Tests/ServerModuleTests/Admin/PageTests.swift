import LatchkeyModel
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Pagination of admin lists` {
    private let server: AdminServer

    init() async throws {
        server = try await AdminServer()
    }

    /// Follows the links to the next page until there are no more pages, and returns the ids on each page.
    private func all(_ path: String, between: () async throws -> Void = {}) async throws -> [[String]] {
        var pages: [[String]] = []
        var next: String? = path
        while let page = next {
            let answer = await server.send(.get, page)
            #expect(answer.status == 200)
            pages.append(answer.ids)
            next = answer.link("next")
            try await between()
        }
        return pages
    }

    @Test(arguments: [(1, 5), (2, 3), (3, 2), (5, 1), (250, 1)])
    func `Every item is returned exactly once`(size: Int, pages: Int) async throws {
        var ids: [String] = []
        for number in 1...5 { ids.append(try await server.id(number)) }
        let found = try await all("/admin/identities?page_size=\(size)")

        #expect(found.count == pages)
        #expect(found.allSatisfy { $0.count <= size })
        #expect(found.flatMap(\.self) == ids.sorted())
    }

    @Test func `All items that existed at the start are returned despite concurrent changes`()
        async throws
    {
        var ids: [String] = []
        for number in 1...12 { ids.append(try await server.id(number)) }
        let doomed = ids.sorted()[7]
        var number = 100
        let found = try await all("/admin/identities?page_size=3") {
            for _ in 0..<3 {
                number += 1
                await server.create(number)
            }
            _ = await server.send(.delete, "/admin/identities/\(doomed)")
        }.flatMap(\.self)

        #expect(Set(found).count == found.count)
        #expect(Set(found).isSuperset(of: Set(ids).subtracting([doomed])))
    }

    @Test(arguments: [
        ("page_size=0", 200), ("page_size=5000", 200), ("page_size=x", 400), ("page_size=-1", 400),
        ("page_token=x", 400), ("page_token=AAAA", 400), ("page=1&per_page=2", 200), ("page=3", 200),
        ("page=-1", 400), ("page=x", 400), ("page=0&page_token=AAAAAAAAAAAAAAAAAAAAAA", 400),
        ("page=1000000&per_page=1", 200), ("page=1000001&per_page=1", 400),
        ("ids=zz", 400), ("ids=9a8cbfb3-87bd-4087-b48d-2569b1b43386", 200),
        ("preview_credentials_identifier_similar=a", 400),
    ])
    func `Page sizes and page tokens are validated`(query: String, status: Int) async throws {
        await server.create(1)
        #expect(await server.send(.get, "/admin/identities?\(query)").status == status)
    }

    @Test func `Page numbers are supported wherever Kratos supports them`() async throws {
        var ids: [String] = []
        for number in 1...5 { ids.append(try await server.id(number)) }
        let wanted = ids.dropLast().map { "ids=\($0)" }.joined(separator: "&")

        let pages = try await all("/admin/identities?page=0&per_page=2")
        #expect(pages.map(\.count) == [2, 2, 1])
        #expect(pages.flatMap(\.self) == ids.sorted())
        #expect(
            await server.send(.get, "/admin/identities?page=1&per_page=2").ids == Array(ids.sorted()[2..<4])
        )
        #expect(await server.send(.get, "/admin/identities?page=3&per_page=2").ids.isEmpty)
        #expect(
            await server.send(.get, "/admin/identities?\(wanted)&page=1&per_page=3").ids
                == ids.dropLast().sorted().suffix(1)
        )
        for path in ["/admin/sessions", "/admin/audit", "/admin/courier/messages"] {
            #expect(await server.send(.get, path + "?page=1").status == 400)
        }
    }

    @Test func `Pages are limited to a thousand items, and their links keep the filters`() async throws {
        var ids: [String] = []
        for number in 1...3 { ids.append(try await server.id(number)) }
        let wide = await server.send(.get, "/admin/identities?page_size=5000")
        #expect(wide.link("first") == "/admin/identities?page_size=1000")
        #expect(wide.link("next") == nil)

        let wanted = ids.map { "ids=\($0)" }.joined(separator: "&")
        let some = try await all(
            "/admin/identities?page_size=2&\(wanted)&ids=9a8cbfb3-87bd-4087-b48d-2569b1b43386"
        )
        #expect(some == [Array(ids.sorted().prefix(2)), [ids.sorted()[2]]])
        #expect(
            try await all("/admin/identities?ids=\(ids[0]),\(ids[1])").flatMap(\.self)
                == ids.prefix(2).sorted()
        )
    }

    @Test func `List entries include metadata_admin but no credentials`() async throws {
        await server.create(1, #"\#(AdminServer.password), "metadata_admin": {"a": 1}"#)
        let entry = try #require(await server.send(.get, "/admin/identities").entries.first)

        #expect(entry["credentials"] == nil)
        #expect(entry["metadata_admin"]?["a"] == .integer(1))
    }
}
