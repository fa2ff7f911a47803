import Foundation

/// A product catalog for tests of a server that reads its settings.
enum TestCatalog {
    private static let text = """
        {
          storefronts: {AT: "EUR"},
          products: [
            {id: "coins", kind: "consumable", title: {en: "Coins"}, prices: {AT: 499}},
            {id: "pro", kind: "non_consumable", title: {en: "Pro"}, prices: {AT: 1999}},
          ],
        }
        """

    /// Writes the catalog to a new file and returns its path.
    static func write(to folder: String) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/products.json5"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }
}
