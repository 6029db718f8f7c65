"""The HTML report in headless Chromium: it renders, needs nothing from elsewhere, and never scrolls sideways."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ADVISE = os.environ["ADVISE"]
SOURCE = pathlib.Path(os.environ["SOURCE"])
JOB = SOURCE / "examples/workloads/llama3-70b.yaml"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Measures the page once it is laid out, and leaves the figures where --dump-dom shows them.
PROBE = """<script>addEventListener('load',()=>{const p=document.getElementById('plot');document.body.dataset.probe=JSON.stringify({
width:innerWidth,scroll:document.documentElement.scrollWidth,dots:document.querySelectorAll('circle').length,
plot:p?p.getBoundingClientRect().width:0,rows:document.querySelectorAll('#ranking tbody tr').length,
rejected:document.querySelectorAll('#rejected tbody tr').length,steps:document.querySelectorAll('#path li').length,
title:document.title})})</script>"""


@unittest.skipUnless(BROWSER, "no Chromium found")
class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def page(self, *words):
        page = self.folder / "report.html"
        subprocess.run([ADVISE, "recommend", str(JOB), "--format", "html", "--out", str(page), *words], check=False, timeout=120)
        return page.read_text()

    def browse(self, page, width, *options):
        path = self.folder / "probed.html"
        path.write_text(page.replace("</body>", PROBE + "</body>"))
        # The headless window has a least width of its own; a frame of the wished width has not.
        frame = self.folder / "frame.html"
        frame.write_text(f'<!DOCTYPE html><body style="margin:0"><iframe src="probed.html" style="border:0" width="{width}" height="900"></iframe>'
                         "<script>addEventListener('load',()=>setTimeout(()=>{document.body.dataset.probe="
                         "document.querySelector('iframe').contentDocument.body.dataset.probe},0))</script></body>")
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--allow-file-access-from-files",
                   f"--user-data-dir={self.folder}/profile", "--virtual-time-budget=5000", *options, frame.as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout

    def measure(self, page, width):
        dom = self.browse(page, width, "--dump-dom")
        found = re.search(r'<body[^>]*data-probe="([^"]*)"', dom)
        self.assertTrue(found, dom[:2000])
        return json.loads(found[1].replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))

    def test_desk_and_phone(self):
        page = self.page()
        self.assertNotRegex(page, r'(?:src|href)="?(?:https?:)?//')
        for width in (1280, 390):
            with self.subTest(width=width):
                seen = self.measure(page, width)
                self.assertEqual(seen["width"], width)
                self.assertLessEqual(seen["scroll"], width)
                self.assertGreater(seen["dots"], 0)
                self.assertGreater(seen["plot"], 0.8 * min(width, 640))
                self.assertGreater(seen["rows"], 0)
                self.assertGreater(seen["rejected"], 0)
                self.assertEqual(seen["steps"], 4)
                self.assertTrue(seen["title"].startswith("Rent "))

    def test_nothing_fits_in_chinese(self):
        page = self.page("--deadline", "1 h", "--nodes-max", "1", "--lang", "zh")
        seen = self.measure(page, 390)
        self.assertLessEqual(seen["scroll"], 390)
        self.assertIn("没有合适的报价", seen["title"])
        self.assertGreater(seen["rejected"], 0)


if __name__ == "__main__":
    unittest.main()
