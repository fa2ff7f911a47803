import Foundation
import LatchkeyModel
import LatchkeyWire
import TestProcesses
import Testing

@Suite struct `Purchase commands` {
    private let folder = TestFolder()

    private func run(_ words: String, catalog: String, on more: [String] = []) async throws
        -> ChildProcess.Outcome
    {
        let path = folder.path + "/products.json5"
        try catalog.write(toFile: path, atomically: true, encoding: .utf8)
        let arguments = words.split(separator: " ").map(String.init)
        return try await BuiltCommand.run(
            arguments + ["--commerce-catalog", path] + more,
            home: folder.path,
            input: ""
        )
    }

    private static let catalog = """
        {
          storefronts: {AT: "EUR", JP: "JPY"},
          products: [
            {id: "coins", kind: "consumable", title: {en: "Coins"}, prices: {AT: 499, JP: 600}},
            {id: "vignette", kind: "non_consumable", title: {en: "Vignette"}, prices: {AT: 960}},
          ],
        }
        """

    private static let region = ["--commerce-default-region", "AT"]

    @Test func `The command validates a catalog`() async throws {
        let good = try await run("products check", catalog: Self.catalog, on: Self.region)
        #expect(good.code == 0, "\(good.text)")
        #expect(good.output.hasSuffix(": 2 products; storefronts: AT, JP.\n"))
        let unclear = try await run("products check", catalog: Self.catalog)
        #expect(unclear.code == 2)
        #expect(
            unclear.errors.contains("commerce.default_region must be set to one of the storefronts: AT, JP")
        )
        let broken = Self.catalog.replacingOccurrences(of: "AT: 960", with: "NO: 960")
        let refused = try await run("products check", catalog: broken, on: Self.region)
        #expect(refused.code == 2)
        #expect(refused.errors.contains("line 5: product \"vignette\": prices.\"NO\" is not in storefronts"))
        #expect(
            try await run("products check", catalog: "{", on: Self.region).errors.contains("not valid JSON5")
        )
    }

    @Test func `The command lists the products with their prices`() async throws {
        let all = try await run("products list", catalog: Self.catalog, on: Self.region)
        #expect(
            all.output == """
                coins  consumable  Coins  AT 4.99 EUR, JP 600 JPY
                vignette  non_consumable  Vignette  AT 9.60 EUR

                """
        )
        let some = try await run("products list --region JP --json", catalog: Self.catalog, on: Self.region)
        let json = try JSONCoding.decode(JSONValue.self, from: Array(some.output.utf8))
        #expect(json["id"] == "coins")
        #expect(json["prices"] == .object(["JP": .object(["amount": 600, "currency": "JPY"])]))
        let unknown = try await run("products list --region NO", catalog: Self.catalog, on: Self.region)
        #expect(unknown.code == 2)
        #expect(unknown.errors.contains("the catalog has no storefront 'NO'; it has AT, JP"))
    }

    @Test func `The commands list and refund transactions in the configured data folder`() async throws {
        let data = Self.region + ["--data", folder.path + "/data"]
        let missing = try await run("transactions list", catalog: Self.catalog, on: data)
        #expect(missing.code == 5 && missing.errors.contains("no data in"))
        _ = try await BuiltCommand.run(
            ["identity", "create", "--schema", "business", "--email", "a@example.com", "--password-stdin"]
                + data,
            home: folder.path,
            input: "correct-Horse-7-battery\n"
        )
        let list = try await run("transactions list", catalog: Self.catalog, on: data)
        #expect(list.code == 0, "\(list.text)")
        #expect(list.output.isEmpty)
        let id = Identifier().description
        #expect(try await run("transactions refund \(id)", catalog: Self.catalog, on: data).code == 2)
        #expect(try await run("transactions refund \(id) --yes", catalog: Self.catalog, on: data).code == 1)
        #expect(try await run("transactions refund me --yes", catalog: Self.catalog, on: data).code == 2)
        #expect(try await run("transactions list --state lost", catalog: Self.catalog, on: data).code != 0)
    }

    @Test func `Purchase commands fail without a catalog`() async throws {
        let outcome = try await BuiltCommand.run(["products", "check"], home: folder.path, input: "")
        #expect(outcome.code == 2)
        #expect(outcome.errors.contains("no catalog is configured"))
    }
}
