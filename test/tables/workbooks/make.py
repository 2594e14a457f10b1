"""Writes the workbooks of this folder with openpyxl 3.1 and XlsxWriter 3.3."""

import datetime
import pathlib

import openpyxl
import xlsxwriter

FOLDER = pathlib.Path(__file__).parent
DAY = datetime.date(2024, 2, 27)


def survey():
    """Sheets of notes and data, with a title, a blank row, types of cells, and a total."""
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active["A1"] = "Only a note"
    sheet = book.create_sheet("Größen & Co")
    sheet.append(["Survey 2024"])
    sheet.append([])
    sheet.append(["Größe (cm)", "school", "visited", "code", "consent", "score"])
    schools = ["Gymnasium", "Realschule <A>", "Gymnasium", "Gesamtschule"]
    for row, school in enumerate(schools):
        visited = DAY + datetime.timedelta(days=row)
        sheet.append([170.5 + row, school, visited, f"00{row}", row != 1, None if row == 2 else 10 * row])
    sheet.append(["Total", None, None, None, None, "=SUM(F4:F7)"])
    other = book.create_sheet("Other")
    other.append(["x", "y"])
    other.append([1, 2.5])
    other.append([2, 3.5])
    book.save(FOLDER / "openpyxl.xlsx")


def dates_of_1904():
    """A hidden sheet, the 1904 date system, formats of dates and times, rich text, and formulas with values."""
    book = xlsxwriter.Workbook(FOLDER / "xlsxwriter.xlsx", {"date_1904": True})
    hidden = book.add_worksheet("Hidden")
    hidden.write_row(0, 0, ["a", "b"])
    hidden.write_row(1, 0, [1, 2])
    hidden.write_row(2, 0, [3, 4])
    hidden.hide()
    sheet = book.add_worksheet("Data")
    sheet.activate()
    sheet.set_first_sheet()
    day = book.add_format({"num_format": 'd" de "mmmm\\ yyyy'})
    moment = book.add_format({"num_format": 22})
    percent = book.add_format({"num_format": '0%;[Red]"d"0%'})
    bold = book.add_format({"bold": True})
    sheet.write_row(0, 0, ["day", "moment", "share", "text", "sum", "missing"])
    for row in range(1, 4):
        sheet.write_datetime(row, 0, datetime.datetime(2024, 2, 27 + row) if row < 3 else datetime.datetime(2024, 3, 1), day)
        sheet.write_datetime(row, 1, datetime.datetime(2024, 5, row, 6 * row, 30), moment)
        sheet.write_number(row, 2, row / 8, percent)
        sheet.write_rich_string(row, 3, "a ", bold, "bold", f" text {row % 2}")
        sheet.write_formula(row, 4, f"=C{row + 1}*2", None, row / 4)
        sheet.write_formula(row, 5, "=NA()" if row == 2 else f"=1+{row}", None, "#N/A" if row == 2 else 1 + row)
    book.close()


survey()
dates_of_1904()
